def test_nothing_is_exported_that_the_pages_do_not_say(out: Path) -> None:
    decide(out, "bo,,55,oral exam,K,,\n")
    done = autograder("export", out, "--format", "csv")
    assert done.returncode == 2
    assert "bo" in done.stderr
    assert f"autograder grades {out}" in "".join(done.stderr.splitlines())
    assert autograder("grades", out, "--yes").returncode == 0
    assert autograder("export", out, "--format", "csv").returncode == 0
    assert autograder("grades", out, "--lang", "pt-BR").returncode == 0
    assert autograder("export", out, "--format", "csv", "--lang", "en").returncode == 0
