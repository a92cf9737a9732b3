"""Tables of documents that a script measures.

Example:
    MARKS = ("<!-- begin measured: zoo -->", "<!-- end measured -->")
    measured.write_between("docs/performance.md", MARKS, table)
"""


def write_between(document, marks, text):
    """Puts a table between its marks in a document; others may have the same end."""
    with open(document, encoding="utf-8") as file:
        before = file.read()
    begin = before.index(marks[0]) + len(marks[0])
    end = before.index(marks[1], begin)
    with open(document, "w", encoding="utf-8") as file:
        file.write(before[:begin] + "\n\n" + text + "\n\n" + before[end:])
