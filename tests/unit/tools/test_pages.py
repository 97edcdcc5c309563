"""Links of documents and of the site's pages; comments of headers as Doxygen is given them."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt.errors import UserError
from takt.pages import headers, html, markdown, site
from takt.paths import ROOT

DOCUMENT = """# One `way` to go

A [way](other.md#the-way-out), [this one](#one-way-to-go), [that](#again-1),
[elsewhere](https://example.org/x.md#y), `[no](link.md)` and `code over
two lines [no](link.md)` and a [picture](pictures/p.png).

```c
# no heading
[no](link.md)
```
## Again
## Again
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository of documents without a broken link."""
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures/p.png").write_bytes(b"")
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(DOCUMENT)
    (tmp_path / "other.md").write_text("# Title\n\n## The way (out)\n[back](README.md)\n")
    return tmp_path


def broken(tree: Path) -> list[str]:
    found = [link for file in tree.glob("*.md") for link in markdown.links(file)]
    whys = ((link, markdown.why_broken(link)) for link in found)
    return [f"{link.file.name}:{link.line}: {why}" for link, why in whys if why]


def test_links_of_a_document(tree: Path) -> None:
    found = [(link.line, link.target) for link in markdown.links(tree / "README.md")]
    assert found == [
        (3, "other.md#the-way-out"),
        (3, "#one-way-to-go"),
        (3, "#again-1"),
        (5, "pictures/p.png"),
    ]
    assert broken(tree) == []


@pytest.mark.parametrize(
    "right, wrong, said",
    [
        ("other.md#", "another.md#", "README.md:3: another.md#the-way-out: there is no such file"),
        ("way-out", "way-in", "README.md:3: other.md#the-way-in: other.md has no such heading"),
        ("#again-1", "#again-2", "README.md:3: #again-2: README.md has no such heading"),
        ("p.png", "q.png", "README.md:5: pictures/q.png: there is no such file"),
    ],
)
def test_a_broken_link_is_named(tree: Path, right: str, wrong: str, said: str) -> None:
    file = tree / "README.md"
    file.write_text(file.read_text().replace(right, wrong, 1))
    assert broken(tree) == [said]
    with pytest.raises(UserError) as refused:
        site.require_links([file])
    assert refused.value.detail.endswith(said) and "1 links" in refused.value.what


def test_the_links_of_the_repository() -> None:
    pages, others = site.documents(ROOT)
    site.require_links(pages)
    names = {str(file.relative_to(ROOT)) for file in (*pages, *others)}
    assert {"README.md", "docs/worlds.md", "arduino/README.md", "docs/rover.png"} <= names


def test_a_page_leads_to_pages(tree: Path) -> None:
    lines = site.page(tree / "README.md", tree).splitlines()
    assert lines[0] == "# One `way` to go"  # the first page has a name of its own
    assert "[way](other.html#other--the-way-out)" in lines[2]
    assert "[this one](index.html#index--one-way-to-go)" in lines[2]
    assert "`[no](link.md)`" in lines[3]
    assert lines[4].endswith("[picture](files/pictures/p.png).")
    assert lines[7:9] == ["# no heading", "[no](link.md)"]
    assert lines[10:] == ["## Again {#index--again}", "## Again {#index--again-1}"]
    other = site.page(tree / "other.md", tree)
    assert other.startswith("# Title {#other}\n\n## The way (out) {#other--the-way-out}\n")


def test_links_of_the_site(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">\n<a href="b.html#there">\n<a href="https://x.org/y">\n'
        '<img src="gone.png">\n<a id="own" href="#own">'
    )
    (tmp_path / "b.html").write_text('<h1 id="here">')
    assert list(html.broken(tmp_path)) == [
        "a.html:2: b.html#there: there is no such place",
        "a.html:4: gone.png: there is no such file",
    ]


def test_comments_of_a_header() -> None:
    text = """/*
 * Of H. Simpson; 0..3. More of it.
 *
 *     if (a <b) {
 */
#define SIZE 3 /* bytes */

struct thing {
    int a; /* above <id> */
};

/* Does. And waits. */
int f(int x);
int g(int x);

/* Counts. */
static inline int h(void)
{
    /* inside */
    return 0; /* what it says */
}
int i(void);
"""
    found = headers.documented(text)
    assert found.count("\n") == text.count("\n")
    lines = found.splitlines()
    assert lines[:2] == ["/** @file", " * @brief Of H. Simpson; 0..3. @details More of it."]
    assert lines[2:4] == [" * @verbatim", "       if (a <b) { @endverbatim"]
    assert lines[5] == "#define SIZE 3 /**< @brief bytes */"
    assert lines[8] == "    int a; /**< @brief above &lt;id> */"
    assert lines[11:14] == [
        "/** @brief Does. @details And waits. */",
        "int f(int x);",
        "/** @copydoc f */ int g(int x);",
    ]
    assert lines[18:20] == ["    /* inside */", "    return 0; /* what it says */"]
    assert lines[21] == "int i(void);"


def test_other_content_is_not_replaced(tree: Path) -> None:
    (tree / "mine").mkdir()
    (tree / "mine/notes.txt").write_text("keep")
    (tree / "mine/doxygen.css").touch()  # of another project's reference
    with pytest.raises(UserError) as refused:
        site.build(tree / "mine", tree)
    assert "other content" in refused.value.what and refused.value.exit_code == 2
    assert (tree / "mine/notes.txt").exists()


def test_without_documents(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        site.build(tmp_path / "site", tmp_path)
    assert "no part of the package" in refused.value.what


def test_without_doxygen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError) as refused:
        site.build(tmp_path / "site")
    assert "doxygen" in refused.value.what and "apt-get install doxygen" in refused.value.fix
