"""A headless Chromium for the tests, cut off from the network, and what they ask of it."""

from __future__ import annotations

import base64
import shutil
from typing import TYPE_CHECKING

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selenium.webdriver.remote.webelement import WebElement

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
DRIVER = shutil.which("chromedriver")

needs_chromium = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed")
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--force-prefers-reduced-motion",  # a press must not race the page as it scrolls
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


class Browser:
    """One window. Requests, violations of the page's policy and errors are kept by the browser itself."""

    def __init__(self) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        for option in _OPTIONS:
            options.add_argument(option)
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))

    def open(self, path: Path, place: str = "") -> None:
        self.driver.get("about:blank")
        self.logs("performance")
        self.driver.get(f"{path.as_uri()}{place}")

    def size(self, width: int, height: int) -> None:
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)

    def scheme(self, name: str) -> None:
        feature = {"name": "prefers-color-scheme", "value": name}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def logs(self, kind: str = "browser") -> list[dict]:
        return self.driver.get_log(kind)

    def script(self, text: str, *arguments: object):
        return self.driver.execute_script(text, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def picture(self, path: Path) -> Path:
        found = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        path.write_bytes(base64.b64decode(found["data"]))
        return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    opened = Browser()
    yield opened
    opened.driver.quit()
