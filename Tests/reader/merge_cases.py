"""The cases of merging: name, what must come of it (JSON of the result, paths that clash, or a word), the story, then,
where it matters, what is shown meanwhile, and the settings."""
import random
import sea_merge
from merge_vectors import DELETED, RESOLVED, Purged, Story, counter, tags, two
from sea_writer import Tag, day, labeled, moment

def dec(exponent, mantissa):
    return Tag(4, [exponent, mantissa])

def date(seconds):
    return moment(round(seconds * 1000))

def one(a, x, y):
    """The property `a` of base and sides; ... stands for none."""
    return two(*({} if v is ... else {"a": v} for v in (a, x, y)))

def plain():
    yield "one-leaf", "none", Story(("a", "", {"a": 1}), ("b", "a", {"a": 2}))
    yield "different-properties", {"a": 2, "b": 2}, two({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2})
    yield "same-property", ["/a"], one(1, 2, 3)
    yield "same-value", {"a": 2, "b": 1}, two({"a": 1}, {"a": 2, "b": 1}, {"a": 2})
    yield "added-by-both-alike", {"a": 1, "b": 1, "c": 1}, two({}, {"a": 1, "b": 1}, {"a": 1, "c": 1})
    yield "added-by-both-otherwise", ["/a"], one(..., 1, 2)
    yield "added-by-each", {"a": 1, "b": 2}, two({}, {"a": 1}, {"b": 2})
    yield "removed", {"b": 2}, two({"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 2})
    yield "removed-by-both", {"c": 1}, two({"a": 1}, {}, {"c": 1})
    yield "removed-all-by-each", {}, two({"a": 1, "b": 1}, {"a": 1}, {"b": 1})
    yield "removed-against-changed", ["/a"], one(1, ..., 2)
    yield "removed-and-made-again-alike", {"a": 1, "b": 1}, Story(
        ("a", "", {"a": 1}), ("b", "a", {}), ("b2", "b", {"a": 1}), ("c", "a", {"a": 1, "b": 1}))
    yield "changed-back", {"a": 3}, Story(("a", "", {"a": 1}), ("b", "a", {"a": 2}), ("b2", "b", {"a": 1}), ("c", "a", {"a": 3}))
    yield "kind-changed-on-one-side", {"a": "1", "b": 2}, two({"a": 1, "b": 1}, {"a": "1", "b": 1}, {"a": 1, "b": 2})
    yield "number-against-text", ["/a"], one(1, "1", 2)
    yield "decimals-of-equal-value", ["/a"], one(1, dec(-2, 150), dec(-1, 15))
    yield "decimal-and-double-of-equal-value", ["/a"], one(1, dec(-1, 15), 1.5)
    yield "decimal-rewritten-against-nothing", {"a": {"$decimal": "1.50"}, "b": 1}, two(
        {"a": dec(-1, 15)}, {"a": dec(-2, 150)}, {"a": dec(-1, 15), "b": 1})
    yield "boolean-is-no-number", ["/a"], one(0, True, 1)
    yield "arrays-are-one-value", ["/a"], one([1], [1, 2], [0, 1])
    yield "array-on-one-side", {"a": [1, 2], "b": 1}, two({"a": [1]}, {"a": [1, 2]}, {"a": [1], "b": 1})
    yield "arrays-of-dictionaries", ["/a"], one([{"x": 1}], [{"x": 2}], [{"x": 1, "y": 1}])
    yield "data-and-references", {"a": {"$data": "AQ=="}, "r": {"$ref": "n/2"}}, two(
        {"a": b"", "r": {"$ref": "n/1"}}, {"a": b"\x01", "r": {"$ref": "n/1"}}, {"a": b"", "r": {"$ref": "n/2"}})
    yield "reference-as-another-kind", ["/r"], two(
        {"r": {"$ref": "n/1"}}, {"r": {"$ref": "n/1", "as": "x"}}, {"r": {"$ref": "n/1", "as": "y"}})
    yield "label-against-nothing", {"a": {"$label": "A", "$value": 1}, "b": 1}, two({"a": 1}, {"a": labeled("A", 1)}, {"a": 1, "b": 1})
    yield "label-against-value", ["/a"], one(1, labeled("A", 1), 2)
    yield "label-taken-away", {"a": 1, "b": 1}, two({"a": labeled("A", 1)}, {"a": 1}, {"a": labeled("A", 1), "b": 1})
    yield "labels-of-one-value", ["/a"], one(1, labeled("A", 1), labeled("B", 1))
    yield "label-and-value-changed", ["/a"], one(labeled("A", 1), labeled("B", 1), labeled("A", 2))
    yield "labels-alike", {"a": {"$label": "A", "$value": [{"x": 1}]}, "b": 1}, two(
        {"a": 1}, {"a": labeled("A", [{"x": 1}])}, {"a": labeled("A", [{"x": 1}]), "b": 1})
    yield "labeled-arrays-are-one-value", ["/a"], one(labeled("A", [{"x": 1}]), labeled("A", [{"x": 2}]), labeled("A", [{"x": 1, "y": 1}]))
    yield "label-against-dictionary", ["/a"], one({"x": 1}, labeled("A", 1), {"x": 2})
    yield "label-against-dictionary-of-its-keys", ["/a"], one(
        {"$dict": {"$label": "A", "$value": 1}}, labeled("A", 1), {"$dict": {"$label": "B", "$value": 1}})
    yield "dates-with-milliseconds", {"a": {"$date": "1969-12-31T23:59:59.500Z"}, "b": {"$date": "1970-01-01T00:00:00.001Z"}}, two(
        {"a": date(0), "b": date(0)}, {"a": date(-0.5), "b": date(0)}, {"a": date(0), "b": date(0.001)})
    yield "days", {"a": {"$day": "1927-01-27"}, "b": 1}, two({"a": day("1927-01-26"), "b": 0}, {"a": day("1927-01-27"), "b": 0}, {"a": day("1927-01-26"), "b": 1})
    yield "days-against-each-other", ["/a"], one(day("1927-01-26"), day("1927-01-25"), day("1927-01-27"))
    yield "day-against-its-midnight", ["/a"], one(1, day("1970-01-01"), date(0))
    yield "day-against-its-text", ["/a"], one(1, day("1970-01-01"), "1970-01-01")
    yield "texts-that-look-alike", ["/a"], one("x", "\u00e9", "e\u0301")
    yield "keys-that-look-alike", {"\u00e9": 2, "e\u0301": 2}, two(
        {"\u00e9": 1, "e\u0301": 1}, {"\u00e9": 2, "e\u0301": 1}, {"\u00e9": 1, "e\u0301": 2})
    yield "long-and-short-keys", {"b": 1, "aa": 1, "aaa": 1, "\U0001f426": 1}, two(
        {}, {"aa": 1, "\U0001f426": 1}, {"b": 1, "aaa": 1})
    yield "keys-with-slash-and-tilde", ["/a~0b/x~1y"], two(
        {"a~b": {"x/y": 1, "": 1}}, {"a~b": {"x/y": 2, "": 1}}, {"a~b": {"x/y": 3, "": 2}})

def nested():
    yield "nested", {"d": {"x": 2, "y": 2}}, two({"d": {"x": 1, "y": 1}}, {"d": {"x": 2, "y": 1}}, {"d": {"x": 1, "y": 2}})
    yield "nested-clash", ["/d/e/x"], two(
        {"d": {"e": {"x": 1, "y": 1}}}, {"d": {"e": {"x": 2, "y": 1}}}, {"d": {"e": {"x": 3, "y": 2}}})
    yield "nested-added-by-each", {"d": {"x": 1, "y": 1}}, two({}, {"d": {"x": 1}}, {"d": {"y": 1}})
    yield "nested-over-something-else", {"d": {"x": 1, "y": 1}}, two({"d": 7}, {"d": {"x": 1}}, {"d": {"y": 1}})
    yield "nested-removed-by-each", {"d": {}}, two({"d": {"x": 1, "y": 1}}, {"d": {"x": 1}}, {"d": {"y": 1}})
    yield "removed-against-nested-change", ["/d"], two({"d": {"x": 1}}, {}, {"d": {"x": 2}})
    yield "removed-against-nested-addition", ["/d"], two({"d": {}}, {}, {"d": {"x": 1}})
    yield "replaced-against-nested-change", ["/d"], two({"d": {"x": 1, "y": 1}}, {"d": 5}, {"d": {"x": 2, "y": 1}})
    yield "empty-against-filled", {"d": {"y": 1}}, two({"d": {"x": 1}}, {"d": {}}, {"d": {"x": 1, "y": 1}})
    yield "empty-removed", {"e": 1}, two({"d": {}}, {}, {"d": {}, "e": 1})
    yield "empty-against-nothing", {"d": {}, "e": 1}, two({}, {"d": {}}, {"e": 1})
    yield "nulls", {"d": {"x": None, "z": None}}, two({"d": {"x": 1, "y": None, "z": None}}, {"d": {"x": None, "y": None, "z": None}},
                                                      {"d": {"x": 1, "z": None}})
    yield "null-against-removed", ["/d/x"], two({"d": {"x": 1}}, {"d": {"x": None}}, {"d": {}})
    yield "null-added-against-nothing", {"d": {"x": None, "y": 1}}, two({"d": {}}, {"d": {"x": None}}, {"d": {"y": 1}})
    yield "dollar-keys", {"d": {"$dict": {"$a": 1, "b": 2}}}, two(
        {"d": {"b": 1}}, {"d": {"$dict": {"$a": 1, "b": 1}}}, {"d": {"b": 2}})
    yield "dollar-key-goes", {"d": {"b": 2}}, two(
        {"d": {"$dict": {"$a": 1, "b": 1}}}, {"d": {"b": 1}}, {"d": {"$dict": {"$a": 1, "b": 2}}})
    yield "dollar-keys-clash", ["/d/$ref"], two(
        {"d": {}}, {"d": {"$dict": {"$ref": "a"}}}, {"d": {"$dict": {"$ref": "b"}}})
    yield "dictionary-against-reference", ["/d"], two({"d": {"x": 1}}, {"d": {"$ref": "n/1"}}, {"d": {"x": 2}})

def types():
    yield "type-on-one-side", {"_type": "u", "a": 2}, two({"_type": "t", "a": 1}, {"_type": "u", "a": 1}, {"_type": "t", "a": 2})
    yield "type-on-both-alike", {"_type": "u", "a": 2}, two({"_type": "t", "a": 1}, {"_type": "u", "a": 1}, {"_type": "u", "a": 2})
    yield "type-clash", ["/_type"], two({"_type": "t", "a": 1}, {"_type": "u", "a": 1}, {"_type": "v", "a": 2})
    yield "type-removed", {"a": 2}, two({"_type": "t", "a": 1}, {"a": 1}, {"_type": "t", "a": 2})
    yield "type-removed-against-changed", ["/_type"], two({"_type": "t"}, {"a": 1}, {"_type": "u"})
    yield "type-added", {"_type": "t", "a": 2}, two({"a": 1}, {"_type": "t", "a": 1}, {"a": 2})
    for policy, want in (("winner", {"_type": "u", "a": 2}), ("max", ["/_type"])):
        yield f"type-policy-{policy}", want, Story(
            ("a", "", {"_type": "t", "a": 1}), ("b", "a", {"_type": "u", "a": 1}), ("b2", "b", {"_type": "u", "a": 2}),
            ("c", "a", {"_type": "v", "a": 1})), {"merge.policy": policy}
    yield "type-policy-of-its-path", {"_type": "u", "a": 2}, Story(
        ("a", "", {"_type": "t", "a": 1}), ("b", "a", {"_type": "u", "a": 1}), ("b2", "b", {"_type": "u", "a": 2}),
        ("c", "a", {"_type": "v", "a": 1})), {"merge.u.policy": "max /_type=winner"}

def policies():
    longer = [("a", "", {"a": 1, "z": 0}), ("b", "a", {"a": 2, "z": 0}), ("b2", "b", {"a": 2, "z": 1}), ("c", "a", {"a": 3, "z": 0})]
    yield "policy-winner", {"a": 2, "z": 1}, Story(*longer), {"merge.policy": "winner"}
    yield "policy-newest", {"a": 3, "z": 1}, Story(*longer), {"merge.policy": "newest"}
    yield "policy-newest-equal-times", {"a": 2, "z": 1}, Story(*longer[:2], ("b2", "b", {"a": 2, "z": 1}, 9), ("c", "a", {"a": 3, "z": 0}, 9)), {
        "merge.policy": "newest"}
    yield "policy-newest-by-the-first-block", {"a": 2, "z": 1}, Story(
        ("a", "", {"a": 1, "z": 0}), ("b", "a", {"a": 2, "z": 0}), ("b2", "b", {"a": 2, "z": 1}, 7), ("c", "a", {"a": 3, "z": 0}, 9),
        ("d", "a", {"a": 3, "z": 0}, 6)), {"merge.policy": "newest"}
    for name, b, c, want in (("ours", -7, 9, ["/a"]), ("theirs", 7, -9, ["/a"]), ("both", -7, -9, ["/a"])):
        yield f"policy-newest-unearned-{name}", want, Story(*longer[:2], ("b2", "b", {"a": 2, "z": 1}, b), ("c", "a", {"a": 3, "z": 0}, c)), {
            "merge.policy": "newest"}
    yield "policy-newest-unearned-where-nobody-asks", {"a": 2, "z": 1, "c": 1}, Story(
        *longer[:2], ("b2", "b", {"a": 2, "z": 1}, -7), ("c", "a", {"a": 1, "c": 1, "z": 0}, -9)), {"merge.policy": "newest"}
    yield "policy-newest-by-the-first-earned-block", {"a": 3, "z": 1}, Story(
        *longer[:2], ("b2", "b", {"a": 2, "z": 1}, 7), ("c", "a", {"a": 3, "z": 0}, -5), ("d", "a", {"a": 3, "z": 0}, 9)), {"merge.policy": "newest"}
    yield "policy-winner-unearned", {"a": 2, "z": 1}, Story(*longer[:2], ("b2", "b", {"a": 2, "z": 1}, -7), ("c", "a", {"a": 3, "z": 0}, 9)), {
        "merge.policy": "winner"}
    for policy, want in (("winner", {"z": 1}), ("newest", {"a": 3, "z": 1}), ("max", ["/a"]), ("text", ["/a"])):
        yield f"policy-{policy}-removed", want, Story(
            ("a", "", {"a": 1, "z": 0}), ("b", "a", {"z": 0}), ("b2", "b", {"z": 1}), ("c", "a", {"a": 3, "z": 0})), {"merge.policy": policy}

    def rule(name, policy, base, x, y, want):
        return name, ["/a"] if want is None else {"a": want}, one(base, x, y), {"merge.policy": policy}
    yield rule("max-integers", "max", 1, -5, 4, 4)
    yield rule("min-integers", "min", 1, -5, 4, -5)
    yield rule("max-large", "max", 1, 2**64, 2**63, {"$int": str(2**64)})
    yield rule("max-large-and-double", "max", 1, 2**70, 1e30, 1e30)
    yield rule("max-integer-and-double", "max", 1, 2, 2.5, 2.5)
    yield rule("max-decimal-and-double-exactly", "max", 1, dec(-1, 1), 0.1, 0.1)
    yield rule("min-decimal-and-double-exactly", "min", 1, dec(-1, 1), 0.1, {"$decimal": "0.1"})
    yield rule("max-decimals", "max", 1, dec(-3, 12345), dec(2, 1), {"$decimal": "1E+2"})
    yield rule("max-of-equal-decimals", "max", 1, dec(-2, 150), dec(-1, 15), {"$decimal": "1.50"})
    yield rule("min-of-equal-decimals", "min", 1, dec(-2, 150), dec(-1, 15), {"$decimal": "1.50"})
    yield rule("max-of-equal-decimal-and-double", "max", 1, dec(-2, 150), 1.5, 1.5)
    yield rule("max-of-equal-decimal-and-integer", "max", 1, dec(-1, 20), 2, {"$decimal": "2.0"})
    yield rule("max-zeros", "max", 1, 0, dec(-2, 0), {"$decimal": "0.00"})
    yield rule("max-negative-exponents", "max", 1, dec(-10000, 1), dec(-9999, -5), {"$decimal": "1E-10000"})
    yield rule("max-dates", "max", date(1), date(2), date(3), {"$date": "1970-01-01T00:00:03Z"})
    yield rule("min-dates", "min", date(1), date(2.5), date(2), {"$date": "1970-01-01T00:00:02Z"})
    yield rule("max-dates-before-1970", "max", date(1), date(-2), date(-1.5), {"$date": "1969-12-31T23:59:58.500Z"})
    yield rule("max-date-and-number", "max", 1, date(2), 3, None)
    yield rule("max-days", "max", day("2026-01-01"), day("0999-12-31"), day("1927-01-26"), {"$day": "1927-01-26"})
    yield rule("min-days", "min", day("2026-01-01"), day("0999-12-31"), day("1927-01-26"), {"$day": "0999-12-31"})
    yield rule("max-day-and-date", "max", day("1969-01-01"), day("1970-01-01"), date(1), None)
    yield rule("min-day-and-date", "min", day("1969-01-01"), day("1970-01-01"), date(1), None)
    yield rule("max-day-and-text", "max", day("1969-01-01"), day("1970-01-01"), "1971-01-01", None)
    yield rule("max-day-and-number", "max", 1, day("1970-01-01"), 3, None)
    yield rule("longest-days", "longest", 1, day("1970-01-01"), day("1970-01-02"), None)
    yield rule("max-texts", "max", "a", "b", "c", None)
    yield rule("max-booleans", "max", 1, True, False, None)
    page = "milk\nbread\neggs\ntea\n"
    yield rule("text", "text", page, "milk\nbread\neggs\nbutter\ntea\n", "milk\nrye bread\neggs\ntea\n", "milk\nrye bread\neggs\nbutter\ntea\n")
    yield rule("text-touching", "text", page, "milk\nbread\neggs\nbutter\ntea\n", "milk\nbread\nbrown eggs\ntea\n", None)
    yield rule("text-overlapping", "text", page, "tea\n", "milk\nbread\nbrown eggs\ntea\n", None)
    yield rule("text-overlapping-all", "text", page, "", "milk\nbread\nbrown eggs\ntea\n", None)
    yield rule("text-inserted-before-what-is-removed", "text", page, "milk\nham\nbread\neggs\ntea\n", "milk\neggs\ntea\n", None)
    yield rule("text-inserted-at-one-place", "text", page, page + "salt\n", page + "pepper\n", None)
    yield rule("text-inserted-at-one-place-alike", "text", page, "oil\n" + page + "salt\n", page + "salt\n", "oil\n" + page + "salt\n")
    yield rule("text-same-edit-on-both-sides", "text", page, "milk\nrye\neggs\n", "cream\nmilk\nrye\neggs\ntea\n", "cream\nmilk\nrye\neggs\n")
    yield rule("text-same-edit-and-others", "text", page + "jam\n", "milk\nrye\neggs\ntea\n", "milk\nrye\neggs\ngreen tea\njam\n", None)
    yield rule("text-same-edit-and-one-apart", "text", page + "jam\n", "milk\nrye\neggs\ntea\n", "milk\nrye\neggs\ntea\njam\n" + "x", None)
    yield rule("text-same-edit-and-one-on-each-side", "text", page + "jam\n", "cream\nbread\nrye\ntea\njam\n", "milk\nbread\nrye\ntea\nham\n", "cream\nbread\nrye\ntea\nham\n")
    yield rule("text-group-of-several-edits", "text", "a\nb\nc\nd\ne\n", "A\nb\nC\nd\ne\n", "A\nB\nC\nd\ne\n", None)
    yield rule("text-group-of-equal-edits-that-touch", "text", "a\nb\nc\nd\n", "1\n2\nc\nd\n", "1\n2\nc\nD\n", "1\n2\nc\nD\n")
    yield rule("text-equal-lines-made-by-other-edits", "text", "a\nx\n", "x\nb\n", "b\nx\n", None)
    yield rule("text-without-a-final-line-end", "text", "a\nb\nc", "A\nb\nc", "a\nb\nc\nd", "A\nb\nc\nd")
    yield rule("text-final-line-end-added-by-both", "text", "a\nb\nc", "A\nb\nc\n", "a\nb\nc\n", "A\nb\nc\n")
    yield rule("text-final-line-end-against-a-change", "text", "a\nb", "a\nb\n", "a\nc", None)
    yield rule("text-of-one-line", "text", "a", "b", "c", None)
    yield rule("text-with-crlf", "text", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n")
    yield rule("text-with-crlf-changed", "text", "a\r\nb\r\nc\r\n", "a\nb\nc\n", "a\r\nb\r\nC\r\n", None)
    yield rule("text-of-empty-lines", "text", "\n\na\n\n\n", "\n\n\na\n\n\n", "\n\na\n\n", "\n\n\na\n\n")
    yield rule("text-emptied-by-one", "text", "a\n", "", "b\n", None)
    yield rule("text-of-an-empty-base", "text", "", "a\n", "b\n", None)
    yield rule("text-with-moved-lines", "text", "a\nb\nc\nd\ne\nf\n", "b\nc\na\nd\ne\nf\n", "a\nb\nc\nd\nf\ne\n", "b\nc\na\nd\nf\ne\n")
    yield rule("text-with-repeated-lines", "text", "x\na\nx\nb\nx\nc\n", "x\nx\na\nx\nb\nx\nc\n", "x\na\nx\nb\nc\n", "x\nx\na\nx\nb\nc\n")
    yield rule("text-where-two-are-longest", "text", "a\nA\np\nb\nB\n", "b\nB\na\nA\n", "a\nA\np\nb\nx\nB\n", "b\nx\nB\na\nA\n")
    yield rule("text-where-two-are-longest-changed-in-the-other", "text", "a\nA\np\nb\nB\n", "b\nB\na\nA\n", "a\nx\nA\np\nb\nB\n", None)
    yield rule("text-in-utf-8", "text", "\u00e9\n\U0001f426\ne\u0301\n", "e\n\U0001f426\ne\u0301\n", "\u00e9\n\U0001f426\n\u00e9\n", "e\n\U0001f426\n\u00e9\n")
    yield rule("text-that-looks-alike", "text", "a\nb\n\u00e9\n", "A\nb\n\u00e9\n", "a\nb\ne\u0301\n", "A\nb\ne\u0301\n")
    yield rule("text-with-other-line-ends", "text", "a\rb\u2028c\u0085", "A\rb\u2028c\u0085", "a\rb\u2028C\u0085", None)
    for n, want in ((1024, True), (1025, None)):
        many = [f"{k}\n" for k in range(n + 3)]
        side, other = [f"x{k}\n" for k in range(1024)] + many[-3:], many[:-1] + ["y\n"]
        yield rule(f"text-of-{n}-by-1024-lines", "text", *("".join(one) for one in (many, side, other)), want and "".join(side[:-1] + ["y\n"]))
    lone, wide = "".join(f"{k}\n" for k in range(2**12)), "a\nb\n"
    yield rule("text-of-many-lines-and-few-changes", "text", lone + wide, lone[2:] + wide, lone + "a\n", lone[2:] + "a\n")
    yield rule("text-added-against-added", "text", 1, "a\nb\nc\n", "a\nb\nd\n", None)
    yield "text-without-a-base", ["/a"], two({}, {"a": "a\nb\n"}, {"a": "a\nc\n"}), {"merge.policy": "text"}
    yield rule("text-removed", "text", "a\nb\n", ..., "a\nc\n", None)
    yield rule("text-and-data", "text", "a\nb\nc\n", "A\nb\nc\n", b"a\nb\nC\n", None)
    yield rule("text-of-numbers", "text", 1, 2, 3, None)
    yield rule("text-of-arrays", "text", [], ["a"], ["b"], None)
    yield "text-of-a-group", ["/a", "/b"], two({"a": "a\nb\nc\n", "b": 1}, {"a": "A\nb\nc\n", "b": 1}, {"a": "a\nb\nC\n", "b": 2}), {
        "merge.policy": "text", "merge.atomic": "/a,/b"}
    abc = [("a", "", {"t": "a\nb\nc\n"}), ("b", "a", {"t": "A\nb\nc\n"}), ("c", "a", {"t": "a\nb\nC\n"})]
    yield "text-with-a-base-that-is-open", ["/t"], Story(
        ("a", "", {"t": "a\nb\nc\n"}), ("b", "a", {"t": "1\nb\nc\n"}), ("c", "a", {"t": "2\nb\nc\n"}),
        ("m", "b c", {"t": "1\nb\nc\n", "m": 1}), ("o", "c b", {"t": "2\nb\nC\n"})), {"merge.policy": "text"}
    yield "text-with-a-base-that-is-open-below", ["/t"], Story(
        ("a", "", {"t": {"x": 1}}), ("b", "a", {"t": {"x": 2}}), ("c", "a", {"t": {"x": 3}}),
        ("m", "b c", {"t": "a\nb\n", "m": 1}), ("o", "c b", {"t": "a\nc\n"})), {"merge.policy": "text"}
    yield "text-of-three-leaves", {"t": "A\nb\nC\nd\nE\n"}, Story(
        ("a", "", {"t": "a\nb\nc\nd\ne\n"}), ("b", "a", {"t": "A\nb\nc\nd\ne\n"}), ("c", "a", {"t": "a\nb\nC\nd\ne\n"}),
        ("d", "a", {"t": "a\nb\nc\nd\nE\n"})), {"merge.policy": "text"}
    yield "text-is-taken-from-nobody", {"t": "A\nb\nC\n", "z": 2}, Story(
        *abc[:2], ("b2", "b", {"t": "A\nb\nc\n", "z": 1}), ("b3", "b2", {"t": "A\nb\nc\n", "z": 2}), abc[2]), {"merge.policy": "text"}
    a, b = (lambda v: labeled("A", v)), (lambda v: labeled("B", v))
    def shown(label, v):
        return {"$label": label, "$value": v}
    yield rule("label-max", "max", 1, a(2), b(3), shown("B", 3))
    yield rule("label-min", "min", 1, a(2), b(3), shown("A", 2))
    yield rule("label-max-on-one-side", "max", 1, a(3), 2, shown("A", 3))
    yield rule("label-max-on-the-other-side", "max", 1, a(2), 3, 3)
    yield rule("label-max-dates", "max", 1, a(date(1.5)), b(date(1)), shown("A", {"$date": "1970-01-01T00:00:01.500Z"}))
    yield rule("label-min-days", "min", 1, a(day("1927-01-26")), b(day("1927-01-27")), shown("A", {"$day": "1927-01-26"}))
    yield rule("label-max-equal", "max", 1, a(2), b(2), shown("B", 2))
    yield rule("label-max-equal-on-one-side", "max", 1, a(2), 2, shown("A", 2))
    yield rule("label-max-equal-longer-label", "max", 1, labeled("AA", 2), b(2), shown("AA", 2))
    yield rule("label-min-equal", "min", 1, a(dec(-1, 20)), b(2), shown("B", 2))
    yield rule("label-max-text", "max", 1, a("x"), b("y"), None)
    old, x, y, both = "p\nq\nr\n", "P\nq\nr\n", "p\nq\nR\n", "P\nq\nR\n"
    yield rule("label-text", "text", a(old), a(x), a(y), shown("A", both))
    yield rule("label-text-of-a-base-without", "text", old, a(x), a(y), shown("A", both))
    yield rule("label-text-of-another-base", "text", b(old), a(x), a(y), shown("A", both))
    yield rule("label-text-of-a-base-alone", "text", a(old), x, y, both)
    yield rule("label-text-of-two", "text", a(old), a(x), b(y), None)
    yield rule("label-text-on-one-side", "text", a(old), a(x), y, None)
    yield rule("label-text-and-number", "text", a(old), a(x), a(1), None)
    yield rule("label-text-of-a-number", "text", a(1), a(x), a(y), None)
    yield "label-winner", {"a": shown("A", 1), "z": 1}, Story(
        ("a", "", {"a": 1, "z": 0}), ("b", "a", {"a": a(1), "z": 0}), ("b2", "b", {"a": a(1), "z": 1}), ("c", "a", {"a": b(1), "z": 0})), {"merge.policy": "winner"}

def texts():
    """Random texts, those that have an answer and the others; what becomes of them is not written by hand."""
    rng = random.Random("texts")
    def lines(most):
        return [rng.choice(["a\n", "b\n", "c\n", "\n", "\u00e9\n", "a\r\n"]) for _ in range(rng.randrange(most))]
    def edited(all_):
        for _ in range(rng.randrange(1, 4)):
            k = rng.randrange(len(all_) + 1)
            all_ = all_[:k] + lines(3) + all_[k + rng.randrange(3):]
        return "".join(all_) + rng.choice(["", "", "a", "b"])
    for n in range(4):
        merged, clashing = ({}, {}, {}, {}), ({}, {}, {})
        for k in range(300):
            base = lines(13)
            three = "".join(base), edited(base), edited(base)
            result = sea_merge.text_merge(*(one.encode() for one in three))
            if len(set(three)) == 3:
                for said, value in zip(clashing if result is None else merged, three if result is None else (*three, result.decode())):
                    said[f"{k:03}"] = value
        yield f"text-random-{n}", merged[3], two(*merged[:3]), {"merge.policy": "text"}
        yield f"text-random-clashes-{n}", ["/" + k for k in clashing[0]], two(*clashing), {"merge.policy": "text"}

def lookup():
    story = two({"_type": "t", "d": {"x": 1}}, {"_type": "t", "d": {"x": 2}}, {"_type": "t", "d": {"x": 3}})
    low, high = {"_type": "t", "d": {"x": 2}}, {"_type": "t", "d": {"x": 3}}
    yield "setting-of-the-database", high, story, {"merge.policy": "max"}
    yield "setting-of-the-type", low, story, {"merge.policy": "max", "merge.t.policy": "min"}
    yield "setting-of-another-type", ["/d/x"], story, {"merge.u.policy": "max"}
    yield "setting-of-the-type-before-a-path-of-any-type", low, story, {"merge.policy": "/d/x=max", "merge.t.policy": "min"}
    yield "setting-of-a-path-of-any-type", high, story, {"merge.policy": "min /d/x=max", "merge.t.policy": "/e=min"}
    yield "setting-of-the-longest-path", high, story, {"merge.t.policy": "/d=min /d/x=max min"}
    yield "setting-of-a-path-above", low, story, {"merge.policy": "max", "merge.t.policy": "/d=min"}
    yield "setting-of-a-path-below", ["/d/x"], story, {"merge.t.policy": "/d/x/y=max"}
    yield "setting-of-a-path-that-begins-alike", ["/d/x"], story, {"merge.t.policy": "/d/xx=max /=max"}
    yield "setting-of-the-empty-path", high, story, {"merge.t.policy": "=max /e=min"}
    yield "setting-of-a-path-in-the-name", ["/d/x"], story, {"merge.t/d/x.policy": "max", "merge./d/x.policy": "max"}
    yield "setting-of-many-spaces", high, story, {"merge.t.policy": "max   /e=min"}
    yield "setting-with-a-tab", low, story, {"merge.policy": "min", "merge.t.policy": "max\t/e=min"}
    yield "setting-without-items", high, story, {"merge.policy": "max", "merge.t.policy": ""}
    yield "setting-without-a-policy", ["/d/x"], story, {"merge.policy": "max", "merge.t.policy": "="}
    yield "setting-without-a-policy-at-a-path", ["/d/x"], story, {"merge.policy": "max", "merge.t.policy": "max /d/x="}
    yield "setting-of-one-path-twice", high, story, {"merge.policy": "max", "merge.t.policy": "/d=min /d=min"}
    yield "setting-of-the-record-twice", high, story, {"merge.policy": "max", "merge.t.policy": "min =min"}
    yield "setting-with-a-wrong-path", high, story, {"merge.policy": "max", "merge.t.policy": "min e=min"}
    yield "setting-with-a-wrong-escape", high, story, {"merge.policy": "max", "merge.t.policy": "min /e~2=min"}
    yield "setting-with-a-path-alone", high, story, {"merge.policy": "max", "merge.t.policy": "min /e"}
    many = " ".join(f"/{n}=min" for n in range(999))
    yield "setting-of-1000-paths", low, story, {"merge.policy": "max", "merge.t.policy": many + " min"}
    yield "setting-of-1001-paths", high, story, {"merge.policy": "max", "merge.t.policy": many + " /999=min min"}
    yield "setting-unknown", high, story, {"merge.policy": "max", "merge.t.policy": "median"}
    yield "setting-not-for-all", high, story, {"merge.policy": "max", "merge.t.policy": "ours"}
    yield "setting-in-capitals", high, story, {"merge.policy": "max", "merge.t.policy": "MIN"}
    yield "setting-off", "off", two({}, {"a": 1}, {"b": 1}), {"merge.auto": "off"}
    yield "setting-clean", {"a": 1, "b": 1}, two({}, {"a": 1}, {"b": 1}), {"merge.auto": "clean"}
    yield "setting-drivers-is-not-for-all", {"a": 1, "b": 1}, two({}, {"a": 1}, {"b": 1}), {"merge.auto": "drivers"}
    yield "policy-without-answer-asks-no-other", ["/d/x"], story, {"merge.policy": "max", "merge.t.policy": "text"}
    slash = two({"_type": "a/b.c", "c": 1}, {"_type": "a/b.c", "c": 2}, {"_type": "a/b.c", "c": 3})
    yield "type-with-a-slash-and-a-dot", {"_type": "a/b.c", "c": 3}, slash, {"merge.a/b.c.policy": "max", "merge.a.policy": "/b.c=min"}
    yield "escaped-path", {"a/b": 3}, two({"a/b": 1}, {"a/b": 2}, {"a/b": 3}), {"merge.policy": "/a~1b=max"}
    yield "path-with-an-equals-sign", {"a=b": 3}, two({"a=b": 1}, {"a=b": 2}, {"a=b": 3}), {"merge.policy": "/a=b=max"}
    yield "type-of-the-winner", {"_type": "u", "a": 2, "n": 0}, Story(
        ("a", "", {"_type": "t", "a": 1, "n": 1}), ("b", "a", {"_type": "u", "a": 2, "n": 1}),
        ("b2", "b", {"_type": "u", "a": 2, "n": 0}), ("c", "a", {"_type": "t", "a": 3, "n": 1})), {"merge.u.policy": "min", "merge.t.policy": "max"}

def groups():
    place = {"lat": 1, "lon": 1, "n": 1}
    together = {"merge.atomic": "/lat,/lon"}
    yield "group-of-one-side", {"lat": 2, "lon": 2, "n": 2}, two(place, place | {"lat": 2, "lon": 2}, place | {"n": 2}), together
    yield "group-clash", ["/lat", "/lon"], two(place, place | {"lat": 2}, place | {"lon": 2}), together
    yield "group-clash-where-one-is-alike", ["/lat"], two(place, place | {"lat": 2, "lon": 2}, place | {"lat": 3, "lon": 2}), together
    yield "group-alike", {"lat": 2, "lon": 2, "n": 2}, two(place, place | {"lat": 2, "lon": 2}, {"lat": 2, "lon": 2, "n": 2}), together
    yield "group-policy", {"lat": 2, "lon": 1, "n": 2}, Story(
        ("a", "", place), ("b", "a", place | {"lat": 2}), ("b2", "b", place | {"lat": 2, "n": 2}), ("c", "a", place | {"lon": 2})), together | {
        "merge.policy": "winner"}
    yield "group-policy-newest", {"lat": 1, "lon": 2, "n": 2}, Story(
        ("a", "", place), ("b", "a", place | {"lat": 2}), ("b2", "b", place | {"lat": 2, "n": 2}), ("c", "a", place | {"lon": 2})), together | {
        "merge.policy": "/lat=newest /lon=newest"}
    yield "group-policy-newest-unearned", ["/lat", "/lon"], Story(
        ("a", "", place), ("b", "a", place | {"lat": 2}), ("b2", "b", place | {"lat": 2, "n": 2}), ("c", "a", place | {"lon": 2}, -9)), together | {
        "merge.policy": "/lat=newest /lon=newest"}
    yield "group-policies-differ", ["/lat", "/lon"], two(place, place | {"lat": 2}, place | {"lon": 2}), together | {
        "merge.policy": "/lat=newest /lon=winner"}
    yield "group-policy-by-value", ["/lat", "/lon"], two(place, place | {"lat": 2}, place | {"lon": 2}), together | {"merge.policy": "max"}
    yield "group-removed", {"n": 2}, two(place, {"n": 1}, place | {"n": 2}), together
    yield "group-added", ["/lat", "/lon"], two({}, {"lat": 1}, {"lon": 1}), together
    yield "group-of-a-type", ["/lat", "/lon"], two(*({"_type": "t"} | one for one in (place, place | {"lat": 2}, place | {"lon": 2}))), {
        "merge.t.atomic": "/lat,/lon"}
    yield "group-of-another-type", {"lat": 2, "lon": 2, "n": 1}, two(place, place | {"lat": 2}, place | {"lon": 2}), {"merge.t.atomic": "/lat,/lon"}
    yield "groups-that-overlap", ["/a", "/b", "/c"], two(
        {"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 2} | {"b": 3}), {"merge.atomic": "/a,/b /b,/c"}
    yield "groups-of-database-and-type-overlap", ["/a", "/c"], two(
        {"_type": "t", "a": 1, "b": 1, "c": 1}, {"_type": "t", "a": 2, "b": 1, "c": 1}, {"_type": "t", "a": 1, "b": 1, "c": 2}), {
        "merge.atomic": "/a,/b", "merge.t.atomic": "/b,/c"}
    yield "groups-apart", {"a": 2, "b": 2, "c": 2, "d": 2}, two(
        {"a": 1, "b": 1, "c": 1, "d": 1}, {"a": 2, "b": 2, "c": 1, "d": 1}, {"a": 1, "b": 1, "c": 2, "d": 2}), {"merge.atomic": "/a,/b /c,/d"}
    yield "group-path-within-another", ["/d", "/e"], two(
        {"d": {"x": 1, "y": 1}, "e": 1}, {"d": {"x": 2, "y": 1}, "e": 1}, {"d": {"x": 1, "y": 2}, "e": 2}), {"merge.atomic": "/d/x,/d,/e"}
    yield "group-of-one-path", ["/d"], two({"d": {"x": 1, "y": 1}}, {"d": {"x": 2, "y": 1}}, {"d": {"x": 1, "y": 2}}), {"merge.atomic": "/d"}
    yield "group-of-one-path-on-one-side", {"d": {"x": 2, "y": 2}, "e": 1}, two(
        {"d": {"x": 1, "y": 1}}, {"d": {"x": 2, "y": 2}}, {"d": {"x": 1, "y": 1}, "e": 1}), {"merge.atomic": "/d"}
    yield "group-of-one-path-with-a-policy", ["/d"], two({"d": {"x": 1}}, {"d": {"x": 2}}, {"d": {"x": 3}}), {
        "merge.atomic": "/d", "merge.policy": "max"}
    yield "group-nested", ["/p/lat", "/p/lon"], two(
        {"p": {"lat": 1, "lon": 1, "n": 1}}, {"p": {"lat": 2, "lon": 1, "n": 1}}, {"p": {"lat": 1, "lon": 2, "n": 2}}), {"merge.atomic": "/p/lat,/p/lon"}
    yield "group-within-what-one-side-removed", ["/n", "/p"], two(
        {"p": {"lat": 1}, "n": 1}, {"n": 2}, {"p": {"lat": 2}, "n": 1}), {"merge.atomic": "/p/lat,/n"}
    yield "group-within-what-one-side-replaced", {"p": 5, "n": 2, "m": 1}, two(
        {"p": {"lat": 1}, "n": 1}, {"p": 5, "n": 2}, {"p": {"lat": 1}, "n": 1, "m": 1}), {"merge.atomic": "/p/lat,/n"}
    yield "group-with-the-type", {"_type": "u", "a": 2}, two(
        {"_type": "t", "a": 1}, {"_type": "u", "a": 1}, {"_type": "t", "a": 2}), {"merge.atomic": "/_type,/a"}
    apart = two(place, place | {"lat": 2}, place | {"lon": 2})
    for name, value in (("dots", "lat,lon"), ("a-path-without-a-slash", "/lat,/lon x"), ("the-empty-path", "/lat,/lon,"), ("a-tab", "/lat,/lon\t/x")):
        yield f"group-with-{name}", {"lat": 2, "lon": 2, "n": 1}, apart, {"merge.atomic": value}
    yield "group-with-a-mark-behind-the-comma", ["/a", "/\u0301b"], two(
        {"a": 1, "\u0301b": 1}, {"a": 2, "\u0301b": 1}, {"a": 1, "\u0301b": 2}), {"merge.atomic": "/a,/\u0301b"}
    many = ",".join(f"/{n}" for n in range(998))
    yield "group-of-1000-paths", ["/lat", "/lon"], apart, {"merge.atomic": f"/lat,/lon  {many}"}
    yield "group-of-1001-paths", {"lat": 2, "lon": 2, "n": 1}, apart, {"merge.atomic": f"/lat,/lon {many},/x"}
    yield "group-that-cannot-be-read", {"lat": 2, "lon": 2, "n": 1}, two(place, place | {"lat": 2}, place | {"lon": 2}), {
        "merge.atomic": "/lat,/lon /x~"}
    yield "group-with-a-counter", ["/a", "/n"], two(
        {"a": 1, "n": counter(A=1)}, {"a": 2, "n": counter(A=1)}, {"a": 1, "n": counter(A=1, B=1)}), {
        "merge.atomic": "/a,/n"}
    yield "group-of-one-counter", {"n": {"$counter": 3}}, two({"n": counter(A=1)}, {"n": counter(A=2)}, {"n": counter(A=1, B=1)}), {"merge.atomic": "/n"}

def states():
    yield "counters", {"n": {"$counter": 6}}, two({"n": counter(A=1)}, {"n": counter(A=3)}, {"n": counter(A=1, B=(4, 1))}), {"n": {"$counter": 6}}
    yield "counter-on-one-side", {"a": 1, "n": {"$counter": 3}}, two({"n": counter(A=1)}, {"n": counter(A=3)}, {"n": counter(A=1), "a": 1})
    yield "counters-made-by-each", {"n": {"$counter": 5}}, two({}, {"n": counter(A=3)}, {"n": counter(B=2)}), {"n": {"$counter": 5}}
    yield "counter-removed", {"a": 1}, two({"n": counter(A=1)}, {}, {"n": counter(A=1), "a": 1})
    yield "counter-removed-against-counted", ["/n"], two({"n": counter(A=1)}, {}, {"n": counter(A=2)})
    yield "counter-removed-and-made-again", {"n": {"$counter": 6}, "a": 1}, Story(
        ("a", "", {"n": counter(A=5)}), ("b", "a", {}), ("b2", "b", {"n": counter(B=1)}), ("c", "a", {"n": counter(A=5), "a": 1}))
    yield "counter-made-again-lower", {"n": {"$counter": 5}, "a": 1}, Story(
        ("a", "", {"n": counter(A=5)}), ("b", "a", {}), ("b2", "b", {"n": counter(A=2)}), ("c", "a", {"n": counter(A=5), "a": 1}))
    yield "counter-against-number", ["/n"], two({"n": 1}, {"n": counter(A=1)}, {"n": 2})
    yield "counter-against-set", ["/n"], two({}, {"n": counter(A=1)}, {"n": tags(x="own")})
    yield "counters-in-an-array", ["/a"], two({"a": [counter(A=1)]}, {"a": [counter(A=2)]}, {"a": [counter(A=1, B=1)]})
    yield "counters-nested", {"d": {"n": {"$counter": 4}, "x": 1}}, two(
        {"d": {"n": counter(A=1)}}, {"d": {"n": counter(A=2), "x": 1}}, {"d": {"n": counter(A=1, C=2)}})
    yield "counter-empty", {"n": {"$counter": 0}, "a": 1, "b": 1}, two({"n": counter()}, {"n": counter(), "b": 1}, {"n": counter(), "a": 1})
    yield "counters-of-64-bits", {"n": {"$counter": {"$int": str(2**65 - 2)}}}, two(
        {}, {"n": counter(A=2**64 - 1)}, {"n": counter(B=2**64 - 1)})
    yield "sets-added-by-each", {"t": {"$set": ["x", "y", "z"]}}, two(
        {"t": tags(x="own")}, lambda r: {"t": tags(x=[r["a"]], y="own")}, lambda r: {"t": tags(x=[r["a"]], z="own")}), {
        "t": {"$set": ["x", "y", "z"]}}
    yield "set-same-element-by-each", {"t": {"$set": ["y"]}}, two(
        {"t": tags()}, {"t": tags(y="own")}, {"t": tags(y="own q")})
    yield "set-removed-against-added", {"t": {"$set": ["y"]}}, two(
        {"t": tags(x="own")}, {"t": tags()}, lambda r: {"t": tags(x=[r["a"]], y="own")}), {"t": {"$set": ["y"]}}
    yield "set-removed-against-added-again", {"t": {"$set": ["x"]}}, two(
        {"t": tags(x="own")}, {"t": tags()}, lambda r: {"t": tags(x=[r["a"], b""])})
    yield "set-elements-removed-by-each", {"t": {"$set": []}}, two(
        {"t": tags(x="own", y="own")}, lambda r: {"t": tags(x=[r["a"]])}, lambda r: {"t": tags(y=[r["a"]])})
    yield "sets-without-a-base", {"t": {"$set": ["x", "y"]}}, Story(("a", "", {"t": tags(x="own")}), ("b", "", {"t": tags(y="own")}))
    yield "set-over-something-else", {"t": {"$set": ["x", "y"]}}, two({"t": ["x"]}, {"t": tags(x="own")}, {"t": tags(y="own")})
    yield "set-against-array", ["/t"], two({"t": tags()}, {"t": tags(x="own")}, {"t": ["y"]})
    yield "set-removed-against-changed", ["/t"], two({"t": tags()}, {}, {"t": tags(x="own")})
    yield "set-merely-settled", {"a": 1, "b": 1, "t": {"$set": ["x"]}}, two(
        {"t": tags(x="own")}, lambda r: {"a": 1, "t": tags(x=[r["a"]])}, lambda r: {"b": 1, "t": tags(x=[r["a"]])})
    yield "set-tag-not-settled-by-the-child", {"b": 1, "a": 1, "t": {"$set": ["x"]}}, two(
        {"t": tags(x="own")}, {"a": 1, "t": tags(x="own")}, lambda r: {"b": 1, "t": tags(x=[r["a"]])})
    yield "sets-in-an-array-are-settled", {"a": 1, "b": 1, "t": [{"$set": ["x"]}]}, two(
        {"t": [tags(x="own")]}, lambda r: {"a": 1, "t": [tags(x=[r["a"]])]}, lambda r: {"b": 1, "t": [tags(x=[r["a"]])]})
    yield "set-of-three-leaves", {"t": {"$set": ["x", "z"]}}, Story(
        ("a", "", {"t": tags(y="own")}), ("b", "a", lambda r: {"t": tags(x="own", y=[r["a"]])}), ("c", "a", {"t": tags()}),
        ("d", "a", lambda r: {"t": tags(y=[r["a"]], z="own")})), {"t": {"$set": ["x", "z"]}}
    yield "shown-while-it-clashes", ["/a"], two(
        {"a": 0, "n": counter(A=2), "t": tags(x="own")}, lambda r: {"a": 1, "n": counter(A=4), "t": tags(x=[r["a"]], y="own")},
        {"a": 2, "n": counter(A=2, B=1), "t": tags(z="own")})
    yield "shown-only-what-the-winner-has", ["/a"], Story(
        ("a", "", {"a": 0}), ("b", "a", {"a": 1}), ("b2", "b", {"a": 1, "n": counter(B=1)}), ("c", "a", {"a": 2, "n": counter(C=1), "m": counter(C=1)})), {
        "a": 1, "n": {"$counter": 2}}
    yield "shown-set-that-one-leaf-has-not", ["/a", "/t"], Story(
        ("a", "", {"a": 0, "t": tags(x="own")}), ("b", "a", lambda r: {"a": 1, "t": tags(x=[r["a"]])}),
        ("b2", "b", lambda r: {"a": 1, "t": tags(x=[r["a"]], y="own")}), ("c", "a", {"a": 2})), {"a": 1, "t": {"$set": ["x", "y"]}}
    yield "shown-removed-by-who-had-merged", ["/a"], Story(
        ("a", "", {"a": 0, "t": tags(x="own")}), ("b", "a", lambda r: {"a": 0, "t": tags(x=[r["a"]], y="own")}),
        ("c", "a", lambda r: {"a": 0, "t": tags(x=[r["a"]], z="own")}),
        ("d", "c b", lambda r: {"a": 2, "t": tags(x=[r["a"]], z=[r["c"]])}), ("d2", "d", lambda r: {"a": 3, "t": tags(x=[r["a"]], z=[r["c"]])}),
        ("b2", "b", lambda r: {"a": 4, "t": tags(x=[r["a"]], y=[r["b"]])})), {"a": 3, "t": {"$set": ["x", "z"]}}

def whole():
    yield "deletion-among-the-leaves", "deletion", Story(
        ("a", "", {"a": 1}), ("b", "a", {"a": 1, "b": 1}), ("c", "a", {"a": 1, "c": 1}), ("d", "a", DELETED))
    yield "resolved-among-the-leaves", {"a": 1, "b": 1, "c": 1}, Story(
        ("a", "", {"a": 1}), ("b", "a", {"a": 1, "b": 1}), ("c", "a", {"a": 1, "c": 1}), ("d", "a", {"a": 9}), ("e", "d", RESOLVED))
    yield "deleted", "none", Story(("a", "", {"a": 1}), ("b", "a", DELETED), ("c", "a", DELETED))
    yield "edit-and-deletion", "none", Story(("a", "", {"a": 1}), ("b", "a", DELETED), ("c", "a", {"a": 2}))
    yield "made-twice", {"a": 1, "b": 1, "c": 1}, Story(("a", "", {"a": 1, "b": 1}), ("b", "", {"a": 1, "c": 1}))
    yield "made-twice-clash", ["/a"], Story(("a", "", {"a": 1}), ("b", "", {"a": 2}))
    yield "made-again-after-a-deletion", {"a": 1, "b": 1}, Story(
        ("a", "", {"x": 1}), ("b", "a", DELETED), ("c", "b", {"a": 1}), ("d", "b", {"b": 1}))
    yield "made-again-after-a-deletion-clash", ["/x"], Story(
        ("a", "", {"x": 1}), ("b", "a", DELETED), ("c", "b", {"x": 1}), ("d", "b", {"x": 2}))
    yield "made-again-against-an-old-branch", {"a": 1, "b": 2}, Story(
        ("a", "", {"a": 1, "x": 1}), ("b", "a", DELETED), ("c", "b", {"a": 1}), ("d", "a", {"a": 1, "x": 1, "b": 2}))
    yield "kept-apart", "apart", Story(("a", "", {"a": 1}), ("b", "a", {"a": 1, "b": 1}), ("c", "a", {"a": 1, "c": 1}), ("c2", "c", {"a": 1, "c": 1}))
    yield "kept-apart-with-a-set", "apart", Story(
        ("a", "", {"t": tags(x="own")}), ("b", "a", lambda r: {"t": tags(x=[r["a"]])}), ("c", "a", lambda r: {"b": 1, "t": tags(x=[r["a"]])}))
    yield "kept-apart-behind-an-end", "apart", Story(
        ("a", "", {"a": 1}), ("b", "a", {"a": 1, "b": 1}), ("c", "a", {"a": 1, "c": 1}), ("e", "c", RESOLVED), ("c2", "e", {"a": 1, "c": 1}))
    yield "changed-behind-an-end", {"a": 1, "b": 1, "c": 2}, Story(
        ("a", "", {"a": 1}), ("b", "a", {"a": 1, "b": 1}), ("c", "a", {"a": 1, "c": 1}), ("e", "c", RESOLVED), ("c2", "e", {"a": 1, "c": 2}))
    yield "made-again-as-before-a-deletion", {"a": 1, "b": 1}, Story(
        ("a", "", {"a": 1}), ("d", "a", DELETED), ("c", "d", {"a": 1}), ("b", "a", {"a": 1, "b": 1}), ("b2", "b", {"a": 1, "b": 1, "c": 1}), ("b3", "b2", {"a": 1, "b": 1}))
    yield "merge-that-says-what-its-parent-says", {"a": 1, "b": 1, "c": 1}, Story(
        ("a", "", {"a": 1}), ("b", "a", {"a": 1, "b": 1}), ("c", "a", {"a": 2}), ("m", "b c", {"a": 1, "b": 1}), ("x", "c", RESOLVED),
        ("d", "b", {"a": 1, "b": 1, "c": 1}))
    for levels, want in ((126, "too-deep"), (125, "just-not-too-deep")):
        deep = 1
        for _ in range(levels):
            deep = {"x": deep}
        yield want, "invalid" if want == "too-deep" else {"d": {"$dict": {"$a": 1, "e": deep}}}, two(
            {"d": {"e": 1}}, {"d": {"e": deep}}, {"d": {"$dict": {"$a": 1, "e": 1}}})
    yield "said-again-with-another-type", {"_type": "t", "a": 1, "b": 1}, Story(
        ("a", "", {"a": 1}), ("b", "a", {"_type": "t", "a": 1}), ("c", "a", {"a": 1, "b": 1}))
    yield "said-again-with-a-new-tag", {"b": 1, "t": {"$set": ["x"]}}, Story(
        ("a", "", {"t": tags(x="own")}), ("b", "a", {"t": tags(x="own")}), ("c", "a", lambda r: {"b": 1, "t": tags(x=[r["a"]])}))
    yield "waits-for-its-parent", "none", hidden(Story(("a", "", {"a": 1}), ("b", "a", {"a": 2}), ("x", "", {"a": 9}), ("c", "x", {"a": 3})), "x")
    yield "names-what-is-not-known", ["/a"], hidden(
        Story(("a", "", {"a": 1}), ("x", "a", {"a": 9}), ("b", "a x", {"a": 9, "b": 1}), ("c", "a", {"a": 3})), "x")

def hidden(story, label):
    """Without the block of one revision."""
    rev = story.label[label]
    del story.record.all[rev]
    story.blocks = [one for one in story.blocks if one[0] != label[0]]
    return story

def many():
    yield "three-leaves", {"a": 2, "b": 2, "c": 2}, Story(("a", "", {"a": 1, "b": 1, "c": 1}), ("b", "a", {"a": 2, "b": 1, "c": 1}),
        ("c", "a", {"a": 1, "b": 2, "c": 1}), ("d", "a", {"a": 1, "b": 1, "c": 2}))
    yield "three-leaves-one-clash", ["/a"], Story(("a", "", {"a": 1, "b": 1}), ("b", "a", {"a": 2, "b": 1}), ("c", "a", {"a": 3, "b": 1}),
        ("d", "a", {"a": 1, "b": 2}))
    yield "three-leaves-two-bases", {"a": 2, "b": 3, "c": 2}, Story(("a", "", {"a": 1, "b": 1, "c": 1}), ("b", "a", {"a": 1, "b": 2, "c": 1}),
        ("c", "a", {"a": 2, "b": 1, "c": 1}), ("d", "b", {"a": 1, "b": 3, "c": 1}), ("e", "b", {"a": 1, "b": 2, "c": 2}))
    five = [(k, "a", {"a": {str(n): n for n in range(5)} | {str(j): -1}, "z": j}) for j, k in enumerate("bcdef")]
    yield "five-leaves-one-clash", ["/z"], Story(("a", "", {"a": {str(n): n for n in range(5)}, "z": 9}), *five)
    yield "five-leaves-max", {"a": {str(n): -1 for n in range(5)}, "z": 4}, Story(("a", "", {"a": {str(n): n for n in range(5)}, "z": 9}), *five), {
        "merge.policy": "max"}
    yield "five-leaves-newest", {"a": {str(n): -1 for n in range(5)}, "z": 4}, Story(
        ("a", "", {"a": {str(n): n for n in range(5)}, "z": 9}), *five), {"merge.policy": "newest"}
    yield "five-leaves-without-a-base", {k: 1 for k in "abcde"}, Story(*((k, "", {k: 1}) for k in "abcde"))
    # Who said what is there: first b (deep), then the latest.
    deep = [("a", "", {"d": 0}), ("b", "a", {"d": {"x": 1}}), ("b2", "b", {"d": {"x": 1}, "z": 1}), ("b3", "b2", {"d": {"x": 1}, "z": 2}),
            ("b4", "b3", {"d": {"x": 1}, "z": 3}), ("b5", "b4", {"d": {"x": 1}, "z": 4})]
    yield "newest-after-a-place-was-replaced", {"d": {"x": 4}, "z": 4}, Story(
        *deep, ("c", "a", {"d": 0, "c": 1}, 20), ("c2", "c", {"d": 0, "c": 2}, 21), ("c3", "c2", {"d": 0}, 22), ("c4", "c3", {"d": {"x": 2}}, 30),
        ("d", "a", {"d": 0, "c": 1}, 31), ("d2", "d", {"d": 0}, 32), ("d3", "d2", {"d": 5}, 40),
        ("e", "a", {"d": 1}, 41), ("e2", "e", {"d": {"x": 4}}, 60), ("f", "a", {"d": {"x": 5}}, 50)), {"merge.policy": "newest"}
    group = {"merge.atomic": "/p,/q", "merge.policy": "newest"}
    yield "newest-of-a-group", {"p": 2, "q": 3, "z": 2}, Story(
        ("a", "", {"p": 1, "q": 1}), ("b", "a", {"p": 2, "q": 2}), ("b2", "b", {"p": 2, "q": 2, "z": 1}), ("b3", "b2", {"p": 2, "q": 2, "z": 2}, 10),
        ("c", "a", {"p": 1, "q": 1, "c": 1}), ("c2", "c", {"p": 2, "q": 3}, 30), ("d", "a", {"p": 4, "q": 4}, 20)), group
    yield "newest-of-a-group-by-what-changed", {"p": 1, "q": 3, "z": 2}, Story(
        ("a", "", {"p": 1, "q": 1}), ("b", "a", {"p": 1, "q": 2}), ("b2", "b", {"p": 1, "q": 2, "z": 1}), ("b3", "b2", {"p": 1, "q": 2, "z": 2}, 10),
        ("c", "a", {"p": 1, "q": 1, "c": 1}), ("c2", "c", {"p": 1, "q": 3}, 30), ("d", "a", {"p": 1, "q": 4}, 20)), group
    yield "65-leaves", {str(n): 1 for n in range(65)}, Story(("a", "", {}), *((f"b{n}", "a", {str(n): 1}) for n in range(65)))
    best = [{str(n): 1} for n in range(66)]
    story = Story(("a", "", {}), *((f"b{n}", "a", one) for n, one in enumerate(best)))
    least = min(story.label, key=lambda k: (k[0] == "a", story.label[k]))
    yield "66-leaves", {str(n): 1 for n in range(66) if f"b{n}" != least}, story
    yield "66-leaves-and-a-deletion", "deletion", Story(("a", "", {}), *((f"b{n}", "a", one) for n, one in enumerate(best)), ("d", "a", DELETED))

def crossed():
    both = [("a", "", {"a": 1, "b": 1, "c": 1}), ("b", "a", {"a": 2, "b": 1, "c": 1}), ("c", "a", {"a": 1, "b": 2, "c": 1})]
    m, n = ("m", "b c", {"a": 2, "b": 2, "c": 1}), ("x", "b", RESOLVED)
    yield "merge-of-a-merge", {"a": 2, "b": 2, "c": 2, "d": 1}, Story(*both, m, ("d", "b", {"a": 2, "b": 1, "c": 2}), ("e", "m", {"a": 2, "b": 2, "c": 1, "d": 1}))
    yield "late-edit-of-what-was-merged", {"a": 2, "b": 2, "c": 2}, Story(*both, m, ("d", "c", {"a": 1, "b": 2, "c": 2}))
    yield "late-edit-against-a-choice", {"a": 2, "b": 1, "c": 2}, Story(
        ("a", "", {"a": 1, "b": 1, "c": 1}), ("b", "a", {"a": 2, "b": 1, "c": 1}), ("c", "a", {"a": 3, "b": 1, "c": 1}),
        ("m", "b c", {"a": 2, "b": 1, "c": 1, "m": 1}), ("m2", "m", {"a": 2, "b": 1, "c": 1}), ("d", "c", {"a": 3, "b": 1, "c": 2}))
    yield "taken-in-and-still-a-leaf", {"a": 2, "b": 2, "c": 1, "d": 1}, Story(*both, ("m", "b c", {"a": 2, "b": 2, "c": 1, "d": 1}))
    yield "crossed-clean", {"a": 2, "b": 2, "c": 1, "d": 1, "e": 1}, Story(
        *both, ("m", "b c", {"a": 2, "b": 2, "c": 1, "d": 1}), ("o", "c b", {"a": 2, "b": 2, "c": 1, "e": 1}))
    clash = [("a", "", {"a": 1, "b": 1}), ("b", "a", {"a": 2, "b": 1}), ("c", "a", {"a": 3, "b": 1})]
    yield "crossed-resolved-otherwise", ["/a"], Story(*clash, ("m", "b c", {"a": 2, "b": 5}), ("o", "c b", {"a": 3, "b": 1, "c": 1}))
    yield "crossed-resolved-alike", {"a": 2, "b": 5, "c": 5}, Story(*clash, ("m", "b c", {"a": 2, "b": 5}), ("o", "c b", {"a": 2, "b": 1, "c": 5}))
    yield "crossed-open-below", ["/d"], Story(
        ("a", "", {"d": {"x": 1, "y": 1}}), ("b", "a", {"d": {"x": 2, "y": 1}}), ("c", "a", {"d": {"x": 3, "y": 1}}),
        ("m", "b c", {}), ("o", "c b", {"d": {"x": 3, "y": 1}, "e": 1}))
    yield "crossed-open-above", ["/d/y"], Story(
        ("a", "", {"d": {"x": 1}}), ("b", "a", {"d": {"x": 2}}), ("c", "a", {"d": 5}),
        ("m", "b c", {"d": {"x": 2}, "e": 1}), ("o", "c b", {"d": {"x": 2, "y": 3}}))
    yield "crossed-open-above-clash", ["/d/x", "/d/y", "/d/z"], Story(
        ("a", "", {"d": {"x": 1}}), ("b", "a", {"d": {"x": 2}}), ("c", "a", {"d": 5}),
        ("m", "b c", {"d": {"x": 2, "z": 1}}), ("o", "c b", {"d": {"x": 3, "y": 3}}))
    yield "crossed-open-type", ["/_type"], Story(
        ("a", "", {"_type": "t"}), ("b", "a", {"_type": "u"}), ("c", "a", {"_type": "v"}), ("m", "b c", {"_type": "u", "a": 1}), ("o", "c b", {"_type": "v", "b": 1}))
    yield "crossed-counters", {"n": {"$counter": 7}}, Story(
        ("a", "", {"n": counter(A=1)}), ("b", "a", {"n": counter(A=1, B=2)}), ("c", "a", {"n": counter(A=1, C=2)}),
        ("m", "b c", {"n": counter(A=2, B=2, C=2)}), ("o", "c b", {"n": counter(A=1, B=3, C=2)}))
    yield "crossed-sets", {"e": 1, "t": {"$set": ["x", "z"]}}, Story(
        ("a", "", {"t": tags()}), ("b", "a", {"t": tags(x="own")}), ("c", "a", {"t": tags(y="own")}),
        ("m", "b c", lambda r: {"e": 1, "t": tags(x=[r["b"]])}), ("o", "c b", lambda r: {"t": tags(x=[r["b"]], y=[r["c"]], z="own")}))
    yield "crossed-with-a-group", ["/b"], Story(
        *both, ("m", "b c", {"a": 2, "b": 2, "c": 1, "d": 1}), ("o", "c b", {"a": 2, "b": 1, "c": 1})), {"merge.atomic": "/a,/b"}
    yield "crossed-without-policies", ["/a"], Story(
        *clash, ("m", "b c", {"a": 2, "b": 1, "m": 1}), ("o", "c b", {"a": "x", "b": 1})), {"merge.policy": "/a=max"}
    yield "crossed-twice", ["/d", "/e"], Story(
        *both, ("m", "b c", {"a": 2, "b": 2, "c": 1, "d": 1}), ("o", "c b", {"a": 2, "b": 2, "c": 1, "e": 1}),
        ("p", "m o", {"a": 2, "b": 2, "c": 1, "d": 2, "e": 1}), ("q", "o m", {"a": 2, "b": 2, "c": 1, "d": 1, "e": 2}))
    yield "crossed-twice-open", ["/a"], Story(
        *clash, ("m", "b c", {"a": 2, "b": 5}), ("o", "c b", {"a": 3, "b": 1}),
        ("p", "m o", {"a": 2, "b": 5, "p": 1}), ("q", "o m", {"a": 3, "b": 5, "q": 1}))
    yield "crossed-three-ways", {"a": 1, "b": 1, "c": 1, "m": 1, "o": 1}, Story(
        ("a", "", {}), ("b", "a", {"a": 1}), ("c", "a", {"b": 1}), ("d", "a", {"c": 1}),
        ("m", "b c d", {"a": 1, "b": 1, "c": 1, "m": 1}), ("o", "c b d", {"a": 1, "b": 1, "c": 1, "o": 1}))
    yield "crossed-three-ways-open-in-one", ["/a"], Story(
        ("a", "", {"a": 0}), ("b", "a", {"a": 1}), ("c", "a", {"a": 2}), ("d", "a", {"a": 0, "c": 1}),
        ("m", "b c d", {"a": 1, "c": 1, "m": 1}), ("o", "c b d", {"a": 2, "c": 1, "o": 1}))
    yield "crossed-with-a-deletion", {"a": 2, "m": 1, "o": 1}, Story(
        ("a", "", {"a": 1}), ("b", "a", {"a": 2}), ("c", "a", DELETED), ("m", "b c", {"a": 2, "m": 1}), ("o", "b c", {"a": 2, "o": 1}),
        ("x", "c", RESOLVED))
    yield "merged-a-deletion", {"a": 2, "m": 1, "o": 1}, Story(
        ("a", "", {"a": 1}), ("b", "a", {"a": 2}), ("c", "a", DELETED), ("m", "b c", {"a": 2, "m": 1}), ("o", "b", {"a": 2, "o": 1}),
        ("x", "c", RESOLVED))
    yield "merged-a-deletion-and-made-again", {"a": 1, "m": 1, "o": 1}, Story(
        ("a", "", {"a": 1}), ("b", "", {"x": 1}), ("c", "b", DELETED), ("m", "a c", {"a": 1, "m": 1}), ("o", "c", {"o": 1}))
    yield "without-common-history-but-one-link", {"a": 1, "m": 1, "o": 1}, Story(
        ("a", "", {"a": 1}), ("b", "", {"b": 1}), ("m", "a b", {"a": 1, "b": 1, "m": 1}), ("o", "b", {"o": 1}))
    yield "base-through-a-resolved", {"a": 1, "b": 2, "c": 1}, Story(
        ("a", "", {"a": 1, "b": 1}), ("r", "a", RESOLVED), ("b", "r", {"a": 1, "b": 2}), ("c", "r", {"c": 1}))
    yield "merged-deeper-than-itself", {"a": 2, "b": 2, "c": 2}, Story(
        *both, ("c2", "c", {"a": 1, "b": 2, "c": 2}), ("c3", "c2", {"a": 1, "b": 2, "c": 2, "d": 1}), ("c4", "c3", {"a": 1, "b": 2, "c": 2}),
        ("m", "b c2", {"a": 2, "b": 2, "c": 2}))
    start = [("a", "", {"a": 0}), ("p", "a", {"a": 1, "m": 1}), ("q", "a", {"a": 2})]
    for levels, want, name in ((1, ["/a"], "crossed-one-level-deep"), (2, ["/a", "/m"], "crossed-two-levels-deep")):
        yield name, want, Story(*start, *ladder("p", "q", levels, {"a": 1, "m": 1}, {"a": 2}))
    for count, want, name in ((16, {f"n{n}": 1 for n in range(16)} | {"x": 1, "y": 1}, "sixteen-bases"), (17, ["/x", "/y"], "seventeen-bases")):
        leaves, both = [(f"n{n}", "a", {f"n{n}": 1}) for n in range(count)], {f"n{n}": 1 for n in range(count)}
        ends, all_ = [(f"r{n}", f"n{n}", RESOLVED) for n in range(1, count)], " ".join(f"n{n}" for n in range(count))
        yield name, want, Story(("a", "", {}), *leaves, ("m", all_, both | {"x": 1}), ("o", all_, both | {"y": 1}), *ends)

def ladder(x, y, levels, ours, theirs):
    """Two branches that take each other in at every step, and say each what it said before."""
    steps, (a, b) = [], (x, y)
    for k in range(levels):
        steps += [(f"{x}{k}", f"{a} {b}", ours | {"k": k}), (f"{y}{k}", f"{b} {a}", theirs | {"k": k})]
        a, b = f"{x}{k}", f"{y}{k}"
    return steps + [(f"{x}-", a, ours | {"k": levels - 1, "b": 1}), (f"{y}-", b, theirs | {"k": levels - 1, "c": 1})]

def purged():
    yield "purged-winner", "purged", Story(("a", "", {"a": 1}), ("b", "a", Purged(a=1, b=2)), ("c", "a", {"a": 1, "c": 2}))
    yield "purged-leaf", "purged", Story(("a", "", {"a": 1}), ("b", "a", {"a": 1, "b": 2}), ("b2", "b", {"a": 1, "b": 3}), ("c", "a", Purged(a=1, c=2)))
    yield "purged-all-leaves", "purged", Story(("a", "", {"a": 1}), ("b", "a", Purged(a=1, b=2)), ("c", "a", Purged(a=1, c=2)))
    yield "purged-one-leaf", "none", Story(("a", "", {"a": 1}), ("b", "a", Purged(a=1, b=2)))
    yield "purged-base", ["/a", "/b", "/c"], Story(("a", "", Purged(a=1)), ("b", "a", {"a": 1, "b": 2}), ("c", "a", {"c": 2}))
    yield "purged-base-and-nothing-in-common", ["/b", "/c"], Story(("a", "", Purged({})), ("b", "a", {"b": 2}), ("c", "a", {"c": 2}))
    yield "purged-base-and-all-alike", {"n": {"$counter": 3}}, Story(
        ("a", "", Purged(n=counter(A=1))), ("b", "a", {"n": counter(A=2)}), ("c", "a", {"n": counter(A=1, B=1)}))
    yield "purged-further-back", {"b": 2, "c": 2, "a": 1}, Story(("a0", "", Purged(a=0)), ("a", "a0", {"a": 1}), ("b", "a", {"a": 1, "b": 2}), ("c", "a", {"a": 1, "c": 2}))
    yield "purged-one-of-two-bases", ["/m", "/o"], Story(
        ("a", "", {"a": 1}), ("b", "a", {"a": 1, "b": 1}), ("c", "a", Purged(a=1, c=1)), ("m", "b c", {"a": 1, "b": 1, "c": 1, "m": 1}), ("o", "c b", {"a": 1, "b": 1, "c": 1, "o": 1}))
    yield "purged-leaf-and-a-deletion", "deletion", Story(("a", "", {"a": 1}), ("b", "a", Purged(a=2)), ("c", "a", {"a": 3}), ("d", "a", DELETED))
    yield "purged-leaf-and-off", "off", Story(("a", "", {"a": 1}), ("b", "a", Purged(a=2)), ("c", "a", {"a": 3})), {"merge.auto": "off"}
    yield "purged-parent-of-what-may-repeat-it", ["/a"], Story(("a", "", {"a": 1}), ("b", "a", Purged(a=2)), ("b2", "b", {"a": 2}), ("c", "a", {"a": 3}))
    yield "purged-elsewhere-here", {"a": 1, "b": 2, "c": 2}, Story(
        ("a", "", {"a": 1}), ("b", "a", Purged(a=1, b=2)), ("c", "a", {"a": 1, "c": 2}), ("d", "a", {"a": 1, "b": 2}))
    yield "purged-elsewhere-here-before", {"a": 1, "b": 2, "c": 2}, Story(
        ("a", "", {"a": 1}), ("b", "a", {"a": 1, "b": 2}), ("c", "a", {"a": 1, "c": 2}), ("d", "a", Purged(a=1, b=2)))
    yield "purged-leaf-beside-counters", "purged", Story(("a", "", {"n": counter(A=1)}), ("b", "a", {"n": counter(A=2)}), ("b2", "b", {"n": counter(A=4)}),
                                                         ("c", "a", Purged(n=counter(A=1, B=1)))), {"n": {"$counter": 4}}

def cases():
    for family in (plain, nested, types, policies, texts, lookup, groups, states, whole, many, crossed, purged):
        yield from family()
