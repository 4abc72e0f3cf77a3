"""Makes `pytest exercises/` speak plainly. You need not read it to solve the exercises."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

if sys.version_info < (3, 11):  # noqa: UP036  (students have all kinds of Python)
    raise SystemExit("Python 3.11 or newer is needed / É preciso Python 3.11 ou mais novo")

# This folder is the package `exercises`, wherever it lies and whatever it is called.
if str(HERE) not in map(str, getattr(sys.modules.get("exercises"), "__path__", ())):
    spec = importlib.util.spec_from_file_location(
        "exercises", HERE / "__init__.py", submodule_search_locations=[str(HERE)]
    )
    assert spec is not None
    sys.modules["exercises"] = importlib.util.module_from_spec(spec)
if str(HERE.parent) not in sys.path:
    sys.path.append(str(HERE.parent))  # lab/ lies beside it

from exercises.selfcheck import originals  # noqa: E402

if importlib.util.find_spec("torch") is None:
    from exercises.selfcheck import commands
    from exercises.selfcheck.texts import Texts, language

    raise SystemExit(Texts(language(None))("ui.no_torch", python=commands.python(Path.cwd())))

import pytest  # noqa: E402

try:
    from exercises.selfcheck import commands
    from exercises.selfcheck.calls import Attempt
    from exercises.selfcheck.chapter import EXERCISES, FILE_OF, FILES, TITLE
    from exercises.selfcheck.check import Check
    from exercises.selfcheck.plugin import SelfCheck
    from exercises.selfcheck.texts import LANGUAGES, Texts, language, named

    Texts(language(None))
except Exception as error:  # a file of the kit that was changed by accident need not even be Python
    if not (others := originals.changed()):
        raise
    raise SystemExit(
        f"{type(error).__name__}: {error}\n"
        "These files belong to the kit and were changed; put them back as they came / "
        f"Estes arquivos são do kit e foram alterados; ponha-os de volta como vieram:\n{', '.join(others)}"
    ) from None


def _hint(value: str) -> int:
    if value not in ("1", "2", "3"):
        started = commands.pytest(Path.cwd())
        said = Texts(language(None))("ui.hint_number", pytest=started, folder="exercises/")
        raise argparse.ArgumentTypeError(said)
    return int(value)


def _lang(value: str) -> str:
    found = named(value)
    if found is None:
        said = Texts(language(None))("ui.lang_unknown", languages=", ".join(LANGUAGES))
        raise argparse.ArgumentTypeError(said)
    return found


def pytest_addoption(parser: pytest.Parser) -> None:
    """`pytest exercises/ --help` shows them."""
    group = parser.getgroup("exercises", TITLE["en"])
    group.addoption("--hint", nargs="?", type=_hint, const=0, help="show the next hint, or hint 1, 2 or 3")
    group.addoption("--lang", type=_lang, help=" or ".join(LANGUAGES))
    group.addoption("--code", metavar="FOLDER", help="test the files in FOLDER instead, e.g. solutions")
    group.addoption("--record", metavar="FILE", help="write what the code returned to FILE, as JSON")
    group.addoption(
        "--exercise",
        action="append",
        metavar="NAME",
        help=f"only this one ({EXERCISES[0].id}), or all of a file",
    )
    group.addoption("--reset", metavar="FILE", help="a fresh FILE; the old one is kept beside it")
    group.addoption("--seconds", type=float, help="longest time for one call of your code")


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """--reset does nothing else."""
    asked = config.getoption("--reset")
    if asked is None:
        return None
    texts, file = Texts(language(config.getoption("--lang"))), Path(asked).name
    file = FILE_OF.get(file, file if file.endswith(".py") else f"{file}.py")
    folder = HERE if config.getoption("--code") is None else Path(config.getoption("--code"))
    try:
        kept = originals.reset(file, folder)
    except originals.CannotReset as error:
        files = ", ".join(FILES)
        raise pytest.UsageError(texts(error.key, files=files, **error.params)) from None
    print(texts("ui.reset_done", file=file), texts("ui.reset_kept", file=kept.name) if kept else "")
    return 0


def pytest_configure(config: pytest.Config) -> None:
    """Starts the self-check."""
    config.pluginmanager.register(SelfCheck(config), "selfcheck")


@pytest.fixture
def attempt(request: pytest.FixtureRequest) -> Attempt:
    """The watched calls of one test."""
    check: SelfCheck = request.config.pluginmanager.getplugin("selfcheck")
    return check.attempt(request.node)


@pytest.fixture
def check(attempt: Attempt) -> Check:
    """What a test asks of a result."""
    return Check(attempt)


def _symbol(name: str) -> object:
    """The student's function or class of that name, watched."""

    @pytest.fixture(name=name)
    def fixture(attempt: Attempt) -> object:
        return attempt.symbol(name)

    return fixture


globals().update({f"symbol_{name}": _symbol(name) for name in FILE_OF})
