"""autograder doctor: which isolation this machine gives, tried out."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from autograder.commands.errors import NOT_ISOLATED, errors_in_words
from autograder.commands.screen import console

LEVELS = {
    "strong": "[green]strong[/green]: student code sees no files, no network, no processes.",
    "no-namespaces": (
        "[green]no-namespaces[/green]: student code can open no file, start nothing and reach nobody;\n"
        "it is only not hidden which other processes there are. Good enough for a class."
    ),
    "none": "[red]none[/red]: student code could do whatever you can. `autograder grade` refuses.",
}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Try out, with attacks of our own, how well this machine isolates student code."""
    with errors_in_words():
        from autograder.sandbox.doctor import examine

        report = examine()
        if as_json:
            typer.echo(json.dumps(report, indent=2))
        else:
            _show(console(), report)
        if report["level"] == "none":
            raise typer.Exit(NOT_ISOLATED)


def _show(out: Console, report: dict[str, Any]) -> None:
    system = report["system"]
    about = f"{system['platform'].partition('-with')[0]}, Python {system['python']}, {system['user']} user"
    out.print(f"This machine   {escape(about)}")
    out.print(f"Isolation      {LEVELS[report['level']]}")
    for way in report["ways"]:
        mark = "[green]works[/green]" if way["works"] else "[yellow]does not work[/yellow]"
        why = f": {way['why']}" if way["why"] else ""
        reached = f" ({', '.join(way['reached'])})" if way["reached"] else ""
        out.print(f"  {escape(way['way'])} {mark}{escape(why + reached)}")
    open_doors = [p["what"] for p in report["probe"] if not p["blocked"]]
    if report["probe"]:
        tried = len(report["probe"])
        out.print(f"Tried out      {tried} attacks, {tried - len(open_doors)} of them stopped")
    for what in open_doors:
        out.print(f"  [red]not stopped[/red]: {escape(what)}")
    for remedy in report["remedies"]:
        out.print(f"To do          {escape(remedy)}")
