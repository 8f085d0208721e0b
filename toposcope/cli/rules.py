"""``toposcope rules``: what is diagnosed, why it matters, and what to do."""

from __future__ import annotations

from typing import Annotated

import typer

from toposcope.cli.common import Ascii, Json, command, console

app = typer.Typer(help="The rules by which faults are found.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(metavar="ID", help="A rule: acs-redirect.")]


@app.command("list")
@command
def list_rules(*, as_json: Json = False, ascii_only: Ascii = False) -> None:
    """List the rules."""
    from toposcope.analysis.rules import RULES

    if as_json:
        from toposcope.render.rules import rule_document
        from toposcope.render.schema import RulesDocument, to_json

        typer.echo(to_json(RulesDocument(rules=tuple(map(rule_document, RULES)))))
        return
    from toposcope.render.terminal.tables import plain, table

    made = table("rule", "what it finds", ascii_only=ascii_only)
    for rule in RULES:
        made.add_row(plain(rule.name), plain(rule.title))
    console().print(made)


@app.command("show")
@command
def show_rule(name: Id, *, as_json: Json = False) -> None:
    """Show one rule: why it matters, what to do, and where it is known from."""
    from toposcope.analysis.rules import select

    (rule,) = select(only=(name,))
    if as_json:
        from toposcope.render.rules import rule_document
        from toposcope.render.schema import RulesDocument, to_json

        typer.echo(to_json(RulesDocument(rules=(rule_document(rule),))))
        return
    out = console()
    out.print(rule.name, style="bold")
    out.print(rule.title)
    for title, text in (("why", rule.reasoning), ("remedy", rule.remedy)):
        out.print(f"\n{title}", style="bold")
        out.print(text)
    out.print("\nsources", style="bold")
    for source in rule.sources:
        out.print(f"  {source}")
