"""The page in a headless Chromium: routes by mouse and by keys, no request, no error, no barrier."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from tests.machines import a100
from tests.render.html.browser import Browser, browser, needs_chromium
from tests.render.html.pages import PROFILES, Read, analysis, loaded, page_of
from toposcope.analysis import Route, analyze, routes
from toposcope.model import Kind
from toposcope.render.diagram import find_marked, layout
from toposcope.render.html import page
from toposcope.render.pictures import marking_of
from toposcope.render.wording import sentence

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["browser"]
pytestmark = [needs_chromium, pytest.mark.xdist_group("chromium")]
SIZES = ((1400, 900), (390, 844))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def opened(browser: Browser, folder: Path, profile: str, place: str = "") -> None:
    path = folder / f"{profile}.html"
    if not path.exists():
        path.write_text(page_of(profile), encoding="utf-8")
    browser.size(*SIZES[0])
    browser.open(path, place)


def box(name: str) -> str:
    return f'.box[data-id="{name}"]'


def marked(browser: Browser, class_: str) -> set[str]:
    return set(
        browser.script(
            "return [...document.querySelectorAll(`.box.${arguments[0]}, .wire.${arguments[0]}`)]"
            ".map(each => each.dataset.id)",
            class_,
        )
    )


def wanted_marks(profile: str, route: Route) -> tuple[set[str], set[str]]:
    """Return what the pictures mark for a route, and what of it as the bottleneck."""
    topology = loaded(profile).topology
    found = find_marked(layout(topology), marking_of(route, topology))
    return set(found.edges), set(found.bottleneck_edges)


def assert_shown(browser: Browser, profile: str, start: str, goal: str) -> None:
    topology = loaded(profile).topology
    wanted = routes(topology, start, goal)
    assert browser.one(".answer").text == " ".join(sentence(wanted[0], topology).split())
    sums = [each.text for each in browser.all(".route .sum")]
    assert [text.removeprefix("at most ") for text in sums] == [f"{route.limit.line or '?'} GB/s" for route in wanted]
    wires, slow = wanted_marks(profile, wanted[0])
    assert wires <= marked(browser, "on")
    assert slow <= marked(browser, "slow") <= marked(browser, "on")
    assert bool(marked(browser, "slow")) == bool(wanted[0].limit.bottleneck)
    rows = [row.text for row in browser.all(".segments tbody tr.slow")]
    near = [index for index in wanted[0].limit.bottleneck if not wanted[0].segments[index].target.startswith("remote:")]
    assert len(rows) == len([index for index in near if not wanted[0].segments[index].source.startswith("remote:")])


def assert_quiet(browser: Browser) -> None:
    """Nothing was asked of anyone, the policy was never broken, and the console is empty."""
    assert browser.logs() == []
    sent = [json.loads(each["message"])["message"] for each in browser.logs("performance")]
    asked = [each["params"]["request"]["url"] for each in sent if each["method"] == "Network.requestWillBeSent"]
    assert all(url.startswith("file:") and url.split("#")[0].endswith(".html") for url in asked)
    assert browser.script("return performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize("profile", PROFILES)
def test_every_machine_shows_its_routes_by_mouse_without_a_request_or_an_error(
    browser: Browser, folder: Path, profile: str
) -> None:
    topology = loaded(profile).topology
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id]
    nic = next((each.id for each in topology.components(Kind.NIC)), None)
    opened(browser, folder, profile)
    for goal in (accelerators[-1], *([nic] if nic and browser.all(box(nic)) else [])):
        for name in (accelerators[0], goal):
            browser.script(
                "arguments[0].scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'})",
                browser.one(box(name)),
            )
            ActionChains(browser.driver).move_to_element(browser.one(f"{box(name)} .front")).click().perform()

        assert_shown(browser, profile, accelerators[0], goal)
        browser.one(".ts-clear").click()
    assert_quiet(browser)


@pytest.mark.parametrize("profile", ["a100-2-2-4-6-8-8", "910b-kunpeng-8", "l40s-2-2-4"])
def test_routes_are_chosen_by_keys_alone(browser: Browser, folder: Path, profile: str) -> None:
    accelerators = [each.id for each in loaded(profile).topology.components(Kind.ACCELERATOR)]
    opened(browser, folder, profile)
    visited: list[str] = []
    while not {accelerators[0], accelerators[1]} <= set(visited):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        name = browser.script("return document.activeElement.dataset.id ?? ''")
        visited.append(name)
        assert len(visited) < 120
        if name in accelerators[:2]:
            ActionChains(browser.driver).send_keys(Keys.ENTER).perform()

    start, goal = [name for name in visited if name in accelerators[:2]]
    assert_shown(browser, profile, start, goal)
    ActionChains(browser.driver).send_keys(Keys.ESCAPE, Keys.ESCAPE).perform()
    assert marked(browser, "on") == set()
    assert_quiet(browser)


def test_another_route_is_marked_when_it_is_chosen_by_arrow(browser: Browser, folder: Path) -> None:
    profile = "a100-2-2-4-6-8-8"
    topology = loaded(profile).topology
    wanted = routes(topology, "GPU0", "GPU5")
    opened(browser, folder, profile, "#path=GPU0,GPU5")

    browser.one(".route input").send_keys(Keys.ARROW_DOWN)

    assert browser.one(".answer").text == sentence(wanted[1], topology)
    wires, _ = wanted_marks(profile, wanted[1])
    assert wires <= {name for name in marked(browser, "on") if "--" in name}
    assert "GPU0--NVSW0" not in marked(browser, "on")


@pytest.mark.parametrize("goal", ["remote", "host", "host:1", "NIC3"])
def test_every_kind_of_end_is_in_the_lists(browser: Browser, folder: Path, goal: str) -> None:
    profile = "a100-2-2-4-6-8-8"
    ends = [end["id"] for end in Read(page_of(profile)).data["ends"]]
    opened(browser, folder, profile)

    Select(browser.one(".ts-from")).select_by_value(str(ends.index("GPU2")))
    Select(browser.one(".ts-to")).select_by_value(str(ends.index(goal)))

    assert_shown(browser, profile, "GPU2", goal)


def test_the_matrix_is_walked_with_arrows_and_shows_a_pair(browser: Browser, folder: Path) -> None:
    opened(browser, folder, "l40s-2-2-4")
    browser.one(".pairs button[tabindex='0']").send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_LEFT)

    ActionChains(browser.driver).send_keys(Keys.ENTER).perform()

    assert browser.one(".answer").text.startswith("GPU3 to GPU0")
    assert_shown(browser, "l40s-2-2-4", "GPU3", "GPU0")


def test_the_matrix_shows_either_figure(browser: Browser, folder: Path) -> None:
    opened(browser, folder, "l40s-2-2-4")
    cell = browser.one(".pairs button")
    route = analysis("l40s-2-2-4").pairs[0].route

    assert str(route.limit.line) in cell.text
    browser.script("document.querySelector('[value=practice]').click()")

    assert str(route.limit.usable.typical) in cell.text


def test_a_link_tells_what_it_is_and_shows_its_line(browser: Browser, tmp_path: Path) -> None:
    topology = a100()
    path = tmp_path / "page.html"
    path.write_text(page(analyze(topology), lambda _origin: "<b>LnkSta: Speed 16GT/s</b>"), encoding="utf-8")
    browser.size(*SIZES[0])
    browser.open(path)
    wire = browser.one('.wire[data-id="GPU0--switch0"]')

    ActionChains(browser.driver).move_to_element(wire).perform()

    tip = browser.one(".tip")
    assert tip.is_displayed()
    assert all(word in tip.text for word in ("PCIe Gen4 x16", "31.5", "observed", "test.txt:1"))
    assert browser.one(".tip code").text == "<b>LnkSta: Speed 16GT/s</b>"


def test_links_are_walked_with_arrows_and_noted_on_focus(browser: Browser, folder: Path) -> None:
    opened(browser, folder, "l40s-2-2-4")
    browser.script(
        'document.querySelector(\'.machine [tabindex="0"].wire, .machine [tabindex="0"][role=img]\').focus()'
    )
    seen = []
    for _ in range(25):
        ActionChains(browser.driver).send_keys(Keys.ARROW_RIGHT).perform()
        seen.append((browser.script("return document.activeElement.dataset.id"), browser.one(".tip").text))

    assert len({name for name, _ in seen}) == 25
    assert any("PCIe Gen" in text and "assumed" in text for _, text in seen)
    ActionChains(browser.driver).send_keys(Keys.ESCAPE).perform()
    assert not browser.one(".tip").is_displayed()


def test_a_medium_is_hidden_unless_the_route_uses_it(browser: Browser, folder: Path) -> None:
    opened(browser, folder, "a100-2-2-4-6-8-8")
    tick = browser.one("[data-show=pcie]")

    tick.click()

    shown = [each for each in browser.all(".wire[data-medium=pcie]") if each.is_displayed()]
    assert shown == []
    assert any(each.is_displayed() for each in browser.all(".wire[data-medium=nvlink]"))
    ends = [end["id"] for end in Read(page_of("a100-2-2-4-6-8-8")).data["ends"]]
    Select(browser.one(".ts-from")).select_by_value(str(ends.index("GPU0")))
    Select(browser.one(".ts-to")).select_by_value(str(ends.index("NIC0")))
    shown = {each.get_attribute("data-id") for each in browser.all(".wire[data-medium=pcie]") if each.is_displayed()}
    assert shown == {"GPU0--SW0", "NIC0--SW0"}


def test_the_address_keeps_the_choice(browser: Browser, folder: Path) -> None:
    opened(browser, folder, "l40s-2-2-4", "#path=GPU1,remote")
    assert_shown(browser, "l40s-2-2-4", "GPU1", "remote")

    opened(browser, folder, "l40s-2-2-4", "#path=GPU1,%3Cimg%20src%3Dx%3E")

    assert browser.one(".answer").text.startswith("Choose two")
    assert_quiet(browser)


def test_hostile_text_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    payload = "</script><img src=x onerror=alert(1)><svg onload=alert(2)>"
    topology = a100()
    topology.host = payload
    gpu = topology.component("GPU0")
    topology.add(type(gpu)(gpu.id, gpu.kind, gpu.origin, model=payload, name=payload))
    path = tmp_path / "page.html"
    path.write_text(page(analyze(topology), lambda _origin: payload, ends=("GPU0", "NIC7")), encoding="utf-8")

    browser.open(path)

    assert browser.one("h1").text == payload
    assert browser.all("img") == []
    assert_quiet(browser)


def test_the_policy_stops_what_was_put_in_later(browser: Browser, folder: Path) -> None:
    opened(browser, folder, "l40s-2-2-4")

    ran = browser.script(
        "const made = document.createElement('script'); made.textContent = 'window.ran = 1';"
        "document.body.append(made); return window.ran === 1"
    )

    assert not ran
    assert any("Content Security Policy" in each["message"] for each in browser.logs())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("profile", ["a100-2-2-4-6-8-8", "l40s-2-2-4"])
def test_nothing_bars_the_way(browser: Browser, folder: Path, profile: str, scheme: str) -> None:
    browser.scheme(scheme)
    start, goal = islice((each.id for each in loaded(profile).topology.components(Kind.ACCELERATOR)), 2)
    for place in ("", f"#path={start},{goal}"):
        opened(browser, folder, profile, place)
        browser.script("document.querySelectorAll('details').forEach(each => each.open = true)")
        browser.script(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        found = browser.driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")

        assert [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in found["violations"]] == []


@pytest.mark.parametrize("profile", PROFILES)
def test_a_page_fits_a_screen_and_a_hand(browser: Browser, folder: Path, tmp_path: Path, profile: str) -> None:
    start = next(each.id for each in loaded(profile).topology.components(Kind.ACCELERATOR))
    opened(browser, folder, profile, f"#path={start},remote")
    for width, height in SIZES:
        browser.size(width, height)
        for scheme in ("light", "dark"):
            browser.scheme(scheme)
            picture = browser.picture(tmp_path / f"{profile}-{width}-{scheme}.png")

            assert picture.stat().st_size > 10_000
        assert browser.script("return document.documentElement.scrollWidth") <= width
        ground = browser.script("return getComputedStyle(document.documentElement).backgroundColor")
        assert ground == "rgb(20, 24, 31)"


def test_the_printed_page_is_light_and_holds_all(browser: Browser, folder: Path) -> None:
    opened(browser, folder, "l40s-2-2-4")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.script("dispatchEvent(new Event('beforeprint'))")

    assert browser.script("return getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert not browser.one(".choice").is_displayed()
    assert browser.one(".links").is_displayed()
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
