#!/usr/bin/env python3
"""Workbooks for the tests of sea-read-xlsx, made without any library for them.

workbooks.py birds FILE [1904]   an inventory as people keep it, with every kind of cell
workbooks.py sheet FILE XML      a workbook whose only sheet has these rows; texts are shared strings 0 to 2, styles 0 to 4
workbooks.py odd FILE            a workbook that is valid, but that Excel would not write
workbooks.py hostile FOLDER      a file for each way to do harm; prints each name and what the refusal must contain
workbooks.py fuzz FILE COUNT     runs sea-read-xlsx on copies of the file with changed bytes: it must end by itself, in time
"""
import os
import random
import struct
import subprocess
import sys
import zipfile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def links(*all):
    lines = "".join(
        f'<Relationship Id="rId{k}" Type="{LINK}/{kind}" Target="{target}"{more}/>'
        for k, (kind, target, more) in enumerate(all, 1))
    return f'{HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{lines}</Relationships>'


def sheet(rows, more=""):
    return f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData>{more}</worksheet>'


def parts(rows, names=("Birds",), strings="<si><t>name</t></si><si><t>weight</t></si><si><t>Hoopoe</t></si>", settings=""):
    entries = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="rId{k}"/>' for k, name in enumerate(names, 1))
    return {
        "[Content_Types].xml": f'{HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": links(("officeDocument", "xl/workbook.xml", "")),
        "xl/workbook.xml": f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{LINK}">{settings}<sheets>{entries}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": links(
            *[("worksheet", f"worksheets/sheet{k}.xml", "") for k in range(1, len(names) + 1)],
            ("styles", "styles.xml", ""), ("sharedStrings", "/xl/sharedStrings.xml", "")),
        # The styles: 0 none, 1 a day, 2 a time, 3 a format with text that only looks like a date.
        "xl/styles.xml": f'{HEAD}<styleSheet xmlns="{MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/>'
        '<numFmt numFmtId="165" formatCode="0.0 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/><xf numFmtId="165"/><xf numFmtId="20"/></cellXfs></styleSheet>',
        "xl/sharedStrings.xml": f'{HEAD}<sst xmlns="{MAIN}">{strings}</sst>',
        **{f"xl/worksheets/sheet{k}.xml": sheet("") for k in range(2, len(names) + 1)},
        "xl/worksheets/sheet1.xml": sheet(rows),
    }


def write(path, all):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in all.items():
            archive.writestr(name, content)


STRINGS = """<si><t>name</t></si><si><t>weight</t></si><si><t>seen</t></si><si><t xml:space="preserve"> at </t></si>
<si><t>ringed</t></si><si><t>zip</t></si><si><t>note</t></si>
<si><r><t xml:space="preserve">Hoo</t></r><r><rPr><b/></rPr><t>poe</t></r><rPh sb="0" eb="1"><t>FOO</t></rPh></si>
<si><t>Öz, "große"_x000D_
Zeile_x005F_x0041_ _xD83E__xDD89_ _xD83E_</t></si><si><t> 08203 </t></si>"""

BIRDS = """<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c><c r="C2" t="s"><v>2</v></c><c r="D2" t="s"><v>3</v></c>
<c r="E2" t="s"><v>4</v></c><c r="F2" t="s"><v>5</v></c><c r="G2" t="s"><v>6</v></c></row>
<row r="3" hidden="1"><c r="A3" t="s"><v>7</v></c><c r="B3"><v>0.10000000000000001</v></c><c r="C3" s="1"><v>45352</v></c>
<c r="D3" s="2"><v>45352.520833333336</v></c><c r="E3" t="b"><v>1</v></c><c r="F3"><v>8203</v></c>
<c r="G3" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c></row>
<row r="5" ><c r="A5" t="s"><v>8</v></c><c r="B5"><f>B3*30</f><v>3</v></c><c r="C5" s="1"><v>61</v></c><c r="D5" s="2"/>
<c r="E5" t="b"><v>0</v></c><c r="F5" t="s"><v>9</v></c><c r="G5" t="str"><f>""</f><v></v></c><c r="H5" s="1"/></row>
<row r="6"><c r="A6" t="str"><f>A1</f><v>Owl</v></c><c r="B6" s="3"><v>1.5</v></c><c r="G6" s="4"><v>0.354166666666667</v></c></row>"""


def birds(path, from1904=False):
    settings = '<workbookPr date1904="1"/>' if from1904 else "<workbookPr/>"
    write(path, parts(BIRDS, ("Birds", "Rings", "Places"), STRINGS, settings))


def odd(path):
    """What programs other than Excel write: parts in the top folder, backslashes, prefixes, no positions, no styles."""
    kinds = "http://purl.oclc.org/ooxml/officeDocument/relationships"
    rows = ('<x:row><x:c s="" t="inlineStr"><x:is><x:t>at</x:t></x:is></x:c><x:c t="str"><x:v>n</x:v></x:c></x:row>'
            '<x:row><x:c t="d"><x:v>10:30:00</x:v></x:c><x:c><x:v> 1E2 </x:v></x:c></x:row>'
            '<x:row><x:c t="inlineStr"/><x:c t="b"><x:v>true</x:v></x:c></x:row>')
    write(path, {
        "Sheets\\Sheet1.XML": f'<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData>{rows}</x:sheetData></x:worksheet>',
        "workbook.xml": f'<workbook xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main" xmlns:q="{kinds}"><sheets>'
        '<sheet name="S" sheetId="1" state="veryHidden" q:id="a"/></sheets></workbook>',
        "_rels/workbook.xml.rels": links(("worksheet", "./sheets/x/../sheet1.xml", "")).replace("rId1", "a").replace(LINK, kinds),
        "_rels/.rels": links(("officeDocument", "/workbook.xml", "")).replace(LINK, kinds),
    })


class Patched:
    """A valid workbook with one of its parts replaced."""

    def __init__(self, folder):
        self.folder = folder

    def case(self, name, words, changes=None, rows='<row r="1"><c r="A1" t="s"><v>0</v></c></row>', raw=None):
        path = f"{self.folder}/{name}.xlsx"
        all = {**parts(rows), **(changes or {})}
        write(path, {k: v for k, v in all.items() if v is not None})
        if raw:
            with open(path, "rb") as file:
                content = raw(file.read())
            with open(path, "wb") as file:
                file.write(content)
        print(f"{name}\t{words}")


def bomb(unit, size):
    return (unit * (size // len(unit) + 1))[:size]


def hostile(folder):
    case = Patched(folder).case
    one, data = "xl/worksheets/sheet1.xml", '<row r="1"><c r="A1"{}<v>{}</v></c></row>'
    entity = '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;&a;">]>'
    for part in "xl/workbook.xml", "xl/sharedStrings.xml", "xl/styles.xml", one, "_rels/.rels":
        text = parts("")[part].replace(HEAD, HEAD + entity)
        case("entity-" + os.path.basename(part).strip("."), "document type declaration", {part: text})
    case("external-entity", "document type declaration", {
        one: HEAD + '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + f'<worksheet xmlns="{MAIN}">&a;</worksheet>'})
    case("external-dtd", "document type declaration", {one: HEAD + '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x">' + sheet("")[len(HEAD):]})
    # A bomb of rows that are valid, one of blanks, one of a single text.
    case("bomb-blanks", "much larger than the file", {one: sheet(bomb(" ", 40 << 20))})
    case("bomb-rows", "is not valid", {one: sheet("<row/>" * (2 << 20))})
    case("bomb-text", "longer than 16 MiB", {"xl/sharedStrings.xml": f'<sst xmlns="{MAIN}"><si><t>' + bomb("x", 17 << 20) + "</t></si></sst>"})
    case("bomb-value", "too long", rows=data.format(' t="str">', bomb("x", 17 << 20)))
    case("bomb-name", "nested too deeply, or has names", rows="<" + bomb("x", 12 << 20) + "/>")
    case("bomb-attribute", "nested too deeply, or has names", rows='<row r="' + bomb("1", 12 << 20) + '"/>')
    case("many-names", "nested too deeply, or has names", rows="".join(f"<a{k}/>" for k in range(200_000)))
    case("deep", "nested too deeply, or has names", rows="<x>" * 300_000 + "</x>" * 300_000)
    case("many-strings", "MiB of texts", {"xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">' + "<si><t/></si>" * 200_000
         + f"<si><t>{bomb('y', 15 << 20)}</t></si>" * 18 + "</sst>", "xl/media/random.png": random.Random(1).randbytes(2 << 20)})
    case("many-files", "more than 10000 files", {"_rels/.rels": None, **{f"x/{k}": "" for k in range(10_001)}})
    case("large-directory", "damaged or too large", {f"{'x' * 400}/{k}": "" for k in range(10_000)})
    case("many-styles", "too many sheets or styles", {
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs>' + '<xf numFmtId="14"/>' * 70_000 + "</cellXfs></styleSheet>"})
    case("wide", "too many empty cells", rows="".join(
        f'<row r="{k}"><c r="XFD{k}"><v>1</v></c></row>' for k in range(1, 17_000)))
    for name, cell in ("column", "XFE1"), ("row", "A1048577"), ("zero", "A0"), ("negative", "A-1"), ("huge", "A" + "9" * 40), ("other-row", "A2"):
        case("cell-" + name, "is not valid", rows=f'<row r="1"><c r="{cell}"><v>1</v></c></row>')
    case("cells-in-disorder", "is not valid", rows='<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>')
    case("rows-in-disorder", "is not valid", rows='<row r="2"/><row r="1"/>')
    case("row-huge", "is not valid", rows='<row r="99999999999999999999"/>')
    case("too-many-cells", "too many cells", rows="<row>" + "<c/>" * 16_385 + "</row>")
    for style in "-1", "5", "99999999999999999999", "x":
        case(f"style{style}", "A1: style", rows=data.format(f' s="{style}">', "1"))
    for text in "-1", "3", "99999999999999999999", "x":
        case(f"text{text}", "A1: text", rows=data.format(' t="s">', text))
    for number in "x", "1e999", "nan", "0x10", "1,5":
        case(f"number-{number}", "is not a number", rows=data.format(">", number))
    case("number-long", "too long", rows=data.format(">", "0." + "1" * 2000))
    case("bool", "is not true or false", rows=data.format(' t="b">', "2"))
    case("date", "is not a date", rows=data.format(' t="d">', "2024-13-01"))
    case("kind", "cells of type", rows=data.format(' t="zz">', "1"))
    out = links(("worksheet", "file:///etc/passwd", ' TargetMode="External"'))
    case("sheet-elsewhere", "in another file", {"xl/_rels/workbook.xml.rels": out})
    case("sheet-above", "in another file", {"xl/_rels/workbook.xml.rels": links(("worksheet", "../../../etc/passwd", ""))})
    case("strings-elsewhere", "is missing", {"xl/_rels/workbook.xml.rels": links(
        ("worksheet", "worksheets/sheet1.xml", ""), ("sharedStrings", "//host/share", ' TargetMode="External"'))})
    case("no-sheet", "missing", {one: None})
    case("no-strings", "missing", {"xl/sharedStrings.xml": None})
    case("no-workbook", "not an .xlsx workbook", {"_rels/.rels": None})
    case("chart-only", "without a table", {"xl/_rels/workbook.xml.rels": links(("chartsheet", "chartsheets/sheet1.xml", ""))})
    case("bad-xml", "line 2", {one: HEAD + "<worksheet><"})
    case("half-xml", "sheet1.xml", {one: sheet("<row>")[:-30]})
    case("bad-encoding", "sheet1.xml", {one: b'<?xml version="1.0" encoding="x-unknown"?><worksheet/>'})
    case("no-utf8", "sheet1.xml", {one: sheet("").encode().replace(b"<sheetData>", b"<sheetData>\xff")})
    case("half", "incomplete", raw=lambda all: all[:len(all) // 2])
    case("no-zip", "not an .xlsx workbook", raw=lambda _: b"name,weight\n")
    case("empty", "not an .xlsx workbook", raw=lambda _: b"")
    case("xls", "an .xls file", raw=lambda _: bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    case("checksum", "damaged", raw=lambda all: damage(all, b"xl/worksheets/sheet1.xml"))
    case("directory-twice", "damaged or too large", raw=lambda all: all[:-22] + b"PK\6\7" + bytes(4) + bytes(8) + bytes(4) + all[-22:])
    case("directory-nowhere", "damaged or too large", raw=lambda all: all[:-10] + struct.pack("<I", 0xFFFFFF00) + all[-6:])
    case("newline-in-name", "does not exist", {"xl/workbook.xml": parts("")["xl/workbook.xml"].replace(
        'name="Birds"', f'name="a&#10;notice: b&#x85;{"n" * 4000}"')})


def damage(all, name):
    """Changes a byte of the compressed content of a part."""
    place = all.index(name) + len(name) + 20
    return all[:place] + bytes([all[place] ^ 0x55]) + all[place + 1:]


def fuzz(path, count):
    with open(path, "rb") as file:
        good = file.read()
    chance = random.Random(int(os.environ.get("SEA_TEST_SEED", "1")))
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    ends = {}
    for k in range(count):
        if k % 2:
            # Within the compressed archive, most changes only spoil a checksum.
            with open("fuzzed.xlsx", "wb") as file:
                file.write(changed(good, chance))
        else:
            name = chance.choice(sorted(contents))
            write("fuzzed.xlsx", {**contents, name: changed(contents[name], chance)})
        run = subprocess.run(["sea-read-xlsx", "fuzzed.xlsx"], capture_output=True, timeout=60)
        lines = run.stderr.decode(errors="replace").splitlines()
        fine = run.returncode == 0 or run.returncode == 1 and lines and lines[-1].startswith("error: ") and len(lines) <= 2
        if not fine:
            os.rename("fuzzed.xlsx", f"fault-{k}.xlsx")
            sys.exit(f"fault-{k}.xlsx: status {run.returncode}: {run.stderr[:500]}")
        ends[run.returncode] = ends.get(run.returncode, 0) + 1
    print(f"{count} files: {ends.get(0, 0)} were read, {ends.get(1, 0)} were refused")


def changed(content, chance):
    content = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 8])):
        if content:
            content[chance.randrange(len(content))] = chance.choice([0, 0xFF, chance.randrange(256), ord("<"), ord("9")])
    return bytes(content)


def main(what, path, *more):
    if what == "birds":
        birds(path, bool(more))
    elif what == "sheet":
        write(path, parts(sys.stdin.read() if more[0] == "-" else more[0]))
    elif what == "odd":
        odd(path)
    elif what == "hostile":
        os.makedirs(path)
        hostile(path)
    else:
        fuzz(path, int(more[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
