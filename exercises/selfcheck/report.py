"""What the student sees at the end: the picture of their progress, and what to do next."""

from __future__ import annotations

from typing import Any

from exercises.selfcheck import known, originals
from exercises.selfcheck.chapter import CHAPTER, EXERCISES, Exercise
from exercises.selfcheck.commands import Commands
from exercises.selfcheck.explain import explain, says, with_command, wrapped
from exercises.selfcheck.progress import Result, Standing, current, standings
from exercises.selfcheck.screen import Screen
from exercises.selfcheck.texts import Texts
from exercises.selfcheck.trouble import FileTrouble, NotTried

MARKS = {
    "done": ("✓", {"green": True}),
    "part": ("✓", {"green": True}),
    "wrong": ("✗", {"red": True}),
    "not written": ("○", {"yellow": True}),
    "waiting": ("…", {"light": True}),
    "not tried": ("·", {"light": True}),
}  # fmt: skip
BAR = 27


def changed_files(screen: Screen, texts: Texts) -> None:
    """Says which files of the kit are not as they were handed out: what the tests say may then be wrong."""
    if changed := originals.changed():
        screen.line()
        for line in wrapped(texts("ui.kit_changed", files=", ".join(changed)), "  "):
            screen.line(line, red=True)


class Report:
    """Writes it; `verbosity` as pytest's -q and -v; `at`: the exercise to look at, else the first not done."""

    def __init__(
        self,
        results: list[Result],
        texts: Texts,
        screen: Screen,
        commands: Commands,
        verbosity: int = 0,
        at: str | None = None,
    ) -> None:
        self.results, self.texts, self.screen, self.commands = results, texts, screen, commands
        self.verbosity = verbosity
        self.found = standings(results)
        self.at = next((s for s in self.found if s.exercise.id == at), None) or current(self.found)
        own = [r for r in results if not r.beside]
        tests = {r.test: {"exercise": r.exercise, "outcome": r.outcome, "cases": r.cases} for r in own}
        self.mistakes: list[known.Mistake] = []
        if self.at and self.at.state == "wrong" and not self.at.waits_for:
            self.mistakes = known.matching(self.at.exercise.id, tests, known.read(), texts.lang)

    @property
    def hint_key(self) -> str | None:
        """Whose hints are due: the mistake's when exactly one is known, else the exercise's."""
        if self.at is None:
            return None
        return self.mistakes[0].id if len(self.mistakes) == 1 else self.at.exercise.id

    @property
    def hints(self) -> tuple[str, ...]:
        """Question, concept, named operation."""
        if self.at is None:
            return ()
        if len(self.mistakes) == 1:
            return self.mistakes[0].hints
        hints = self.texts.get(f"hint.{self.at.exercise.id}") or ()
        return tuple(hint.replace("`", "") for hint in hints)  # marks around code are for pages

    def write(self, hints_shown: int, *, by_number: bool = False) -> None:
        """All of it, with the first `hints_shown` hints; `by_number`: that many were asked for."""
        changed_files(self.screen, self.texts)
        self._picture()
        self._next()
        if hints_shown:
            self._hints(hints_shown, by_number)
        elif self.at is not None and self.verbosity >= 0:
            self.screen.line()
            self._say(self.commands.say(self.texts, "stuck"))
        self._advice()
        self.screen.line()

    def _say(self, text: str, indent: str = "  ", **markup: bool) -> None:
        for line in with_command(text, self.commands.pytest, indent):
            self.screen.line(line, **markup)

    def _picture(self) -> None:
        t = self.texts
        self.screen.line()
        self.screen.line("  " + t("ui.heading", chapter=CHAPTER, title=t("course.title")), bold=True)
        self.screen.line()
        file = ""
        wide = max(12, *(len(self._home(s.exercise)) for s in self.found))
        for standing in self.found:
            home = self._home(standing.exercise)
            mark, markup = MARKS[standing.state]
            title = t(f"title.{standing.exercise.id}")
            self.screen.line(
                f"  {home if home != file else '':{wide}} {mark} {title:27} {self._state(standing)}", **markup
            )
            file = home
        done = sum(s.state == "done" for s in self.found)
        full = round(BAR * done / len(EXERCISES))
        bar = "█" * full + "░" * (BAR - full)
        if not (self.screen.can("█") and self.screen.can("░")):
            bar = "[" + "#" * full + "-" * (BAR - full) + "]"
        self.screen.line()
        self.screen.line(f"  {bar}  {t('ui.count', done=done, all=len(EXERCISES))}", bold=True)

    def _home(self, exercise: Exercise) -> str:
        """The file it is written in, or the chapter's name for where earlier ones are tried out."""
        return exercise.file if exercise.symbols else str(self.texts.get(f"home.{exercise.id}") or "")

    def _state(self, s: Standing) -> str:
        t = self.texts
        tests = t("ui.tests", passed=s.passed, all=len(s.results))
        if s.state == "waiting":
            return t("ui.waiting", what=s.waits_for)
        if s.state == "wrong" and s.waits_for:
            return t("ui.after", what=s.waits_for)
        if s.state == "wrong":
            return tests
        if s.state == "part":
            return f"{t('ui.part')}, {tests}"
        return t("ui.returns_nothing" if s.returns_nothing else "ui." + s.state.replace(" ", "_"))

    def _next(self) -> None:
        t, at = self.texts, self.at
        self.screen.line()
        if at is None:
            self._finished()
            return
        e = at.exercise
        where = "ui.where_symbol" if e.symbols else "ui.where_no_code"
        self.screen.line("  " + t("ui.next", title=t(f"title.{e.id}")), bold=True)
        self._say(t(where, symbol=", ".join(e.symbols), file=e.file, section=e.section))
        if self.verbosity < 0:
            return
        self.screen.line()
        if at.state == "not written":
            self._say(t("ui.write_it_nothing" if at.returns_nothing else "ui.write_it", file=e.file))
            self._say(self.commands.say(t, "write_only", exercise=e.id))
        elif at.state == "waiting":
            self._say(t("ui.waiting", what=at.waits_for))
        if self.verbosity > 0:
            for result in {id(r.trouble): r for r in self.results if r.outcome == "wrong"}.values():
                self._in_full(result)
        elif (first := at.first_wrong) is not None:
            self._say(t("ui.look_first"))
            self._in_full(first)
            rest = [r for r in at.results if r.outcome == "wrong" and r.trouble is not first.trouble]
            if rest:
                self._say(t("ui.also_wrong"))
                for result in rest:
                    self.screen.line("    ✗ " + self._title(result), red=True)
                self._say(self.commands.say(t, "more_wrong"))
                if self.mistakes:
                    self.screen.line()
        self._known()

    def _title(self, result: Result) -> str:
        return self.texts(f"test.{result.test.replace('/', '.')}.title")

    def _in_full(self, result: Result) -> None:
        assert result.trouble is not None
        self.screen.line()
        title = f"{result.exercise}: {self._title(result)}"
        if isinstance(result.trouble, FileTrouble):
            title = result.trouble.file
        self.screen.line(f"    ✗ {title}", red=True)
        for line in explain(result.test, result.trouble, result.given, result.printed, self.texts):
            self.screen.line("      " + line if line else "")
        self.screen.line()

    def _known(self) -> None:
        t = self.texts
        if len(self.mistakes) == 1:
            one = self.mistakes[0]
            self._say(t("show.matches", name=one.name), bold=True)
            self._say(one.why)
            self._say(t("show.section", section=one.section))
        elif self.mistakes:
            self._say(t("show.matches_several"), bold=True)
            for mistake in self.mistakes:
                self._say(f"{mistake.name}. {mistake.why}", "    ")

    def _finished(self) -> None:
        t = self.texts
        rest = [s for s in self.found if s.state != "done"]
        why = [r.trouble for s in rest for r in s.results if isinstance(r.trouble, NotTried)]
        if not rest:
            self._say(t("ui.all_done"), bold=True, green=True)
            if t.get("ui.all_done_run"):
                self.screen.line()
                command = t("ui.all_done_run", python=self.commands.python, lang=self.commands.lang)
                self.screen.line("    " + command, bold=True)
        elif why and not any(s.exercise.symbols for s in rest):
            self._say(t("ui.all_but_tried", why=" ".join(says(why[0], t))), bold=True)
        else:
            self._say(self.commands.say(t, "part_done"), bold=True)

    def _hints(self, shown: int, by_number: bool) -> None:
        t = self.texts
        self.screen.line()
        if not self.hints:
            self._say(t("ui.hint_none"))
            return
        for i, hint in enumerate(self.hints[:shown], 1):
            self.screen.line("  " + t("ui.hint", number=i, all=len(self.hints)), bold=True)
            self._say(hint, "    ")
        if shown >= len(self.hints):
            self._say(t("ui.hint_last"))
        elif by_number:
            self._say(self.commands.say(t, "hint_more_number", number=shown + 1))
        else:
            self._say(self.commands.say(t, "hint_more"))

    def _advice(self) -> None:
        notes: list[tuple[str, dict[str, Any]]] = [
            a for s in self.found if s.state in ("done", "part") for r in s.results for a in r.advice
        ]
        if notes and self.verbosity >= 0:
            self.screen.line()
            self._say(self.texts("ui.good_to_know"))
            for key, params in notes:
                self._say(self.texts(key, **params), "    ")
