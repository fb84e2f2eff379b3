"""The cases of make.py."""

A = bytes(15) + b"\x01"
B = bytes(15) + b"\x02"
D = bytes([7]) * 32
E = bytes([8]) * 32


def write_all(m):
    good, state, bad, cbor, one, enc, head = m.good, m.state, m.bad_json, m.bad_cbor, m.one, m.enc, m.head

    good("empty", "{}", {})
    good("empty_null_property", ' {"a" : null } ', {})
    good("scalars", '{"t":true,"f":false,"s":"x","n":[null],"o":{},"l":[]}',
         {"t": True, "f": False, "s": "x", "n": [None], "o": {}, "l": []})
    good("key_order_length_first", '{"b":1,"aa":2,"a":3,"c":4}', {"a": 3, "b": 1, "c": 4, "aa": 2})
    good("key_order_long", '{"%s":1,"%s":2,"z":3}' % ("k" * 24, "k" * 23), {"k" * 24: 1, "k" * 23: 2, "z": 3})
    good("key_longest", '{"%s":1}' % ("n" * 1024), {"n" * 1024: 1})
    good("key_nfc_nfd", '{"\\u00e9":1,"e\\u0301":2}', {"\u00e9": 1, "e\u0301": 2})
    good("key_empty_inside", '{"a":{"":1,"\\n":2}}', {"a": {"": 1, "\n": 2}})
    good("key_underscore_inside", '{"a":{"_id":1}}', {"a": {"_id": 1}})
    good("reserved_ignored", '{"_conflicts":["x"],"_time":1,"_block":null,"_labels":[],"a":1}', {"a": 1})
    good("string_escapes", '{"a":"\\u0041\\b\\f\\n\\r\\t\\"\\\\\\/\\u0000\\u001f\\u007f\\ud83d\\ude00"}',
         {"a": 'A\b\f\n\r\t"\\/\x00\x1f\x7f\U0001F600'})
    good("string_utf8", '{"a":"é日本😀\u2028"}', {"a": "é日本😀\u2028"})
    good("string_lengths", '{"a":["%s","%s","%s"]}' % ("x" * 23, "x" * 24, "x" * 256), {"a": ["x" * 23, "x" * 24, "x" * 256]})
    good("integer_edges", '{"a":[0,-0,23,24,255,256,65535,65536,4294967295,4294967296]}',
         {"a": [0, 0, 23, 24, 255, 256, 65535, 65536, 4294967295, 4294967296]})
    good("integer_negative_edges", '{"a":[-1,-24,-25,-256,-257,-65536,-65537,-4294967296,-4294967297]}',
         {"a": [-1, -24, -25, -256, -257, -65536, -65537, -4294967296, -4294967297]})
    good("integer_2_53", '{"a":[9007199254740992,9007199254740993,-9007199254740992,-9007199254740993]}',
         {"a": [2**53, 2**53 + 1, -2**53, -2**53 - 1]})
    good("integer_64_bits", '{"a":[18446744073709551615,18446744073709551616,-18446744073709551616,-18446744073709551617]}',
         {"a": [2**64 - 1, 2**64, -2**64, -2**64 - 1]})
    good("integer_largest", '{"a":%d,"b":%d}' % (2**8192 - 1, -2**8192), {"a": 2**8192 - 1, "b": -2**8192})
    good("integer_form", '{"a":[{"$int":"5"},{"$int":"-12345678901234567890"}]}', {"a": [5, -12345678901234567890]})
    good("integer_written_with_fraction", '{"a":[1.0,1e3,12.50e1,-0.0,0e5,18446744073709551615.0]}',
         {"a": [1, 1000, 125, 0, 0, 2**64 - 1]})
    good("double_widths", '{"a":[0.5,100000.5,0.1,1e23,5e-324,65504.5,5.960464477539063e-8]}',
         {"a": [0.5, 100000.5, 0.1, 1e23, 5e-324, 65504.5, 2.0**-24]})
    good("double_whole_beyond_64_bits", '{"a":[1.8446744073709552e19,3.4028234663852886e38,1.7976931348623157e308]}',
         {"a": [m.Raw(m.floating(2.0**64), "1.8446744073709552e+19"), 3.4028234663852886e38, 1.7976931348623157e308]})
    good("decimal_when_double_loses", '{"a":[0.1000000000000000055511151231257827,123456789012345678901.5,1e400,1e-400]}',
         {"a": [m.Decimal(-34, 1000000000000000055511151231257827), m.Decimal(-1, 1234567890123456789015),
                m.Decimal(400, 1), m.Decimal(-400, 1)]})
    good("decimal_form_keeps_scale", '{"a":[{"$decimal":"12.50"},{"$decimal":"-0.00"},{"$decimal":"1200"},{"$decimal":"1.2E+3"}]}',
         {"a": [m.Decimal(-2, 1250), m.Decimal(-2, 0), m.Decimal(0, 1200), m.Decimal(2, 12)]})
    good("decimal_exponents", '{"a":[{"$decimal":"1E-40"},{"$decimal":"1E-41"},{"$decimal":"1e10000"},{"$decimal":"1.5e-9999"}]}',
         {"a": [m.Decimal(-40, 1), m.Decimal(-41, 1), m.Decimal(10000, 1), m.Decimal(-10000, 15)]})
    good("decimal_large", '{"a":{"$decimal":"-%d.5"}}' % 2**200, {"a": m.Decimal(-1, -(2**200 * 10 + 5))})
    good("date_forms", '{"a":[{"$date":"1970-01-01"},{"$date":"2026-03-01T01:30:00.5+01:30"},{"$date":"0001-01-01T00:00:00Z"},'
         '{"$date":"9999-12-31T23:59:59.999Z"},{"$date":"1969-12-31t23:59:59.9990z"}]}',
         {"a": [m.Date(0), m.Date(1772323200500), m.Date(-62135596800000), m.Date(253402300799999), m.Date(-1)]})
    good("day", '{"a":[{"$day":"1927-01-26"},{"$day":"0001-01-01"},{"$day":"9999-12-31"},{"$day":"2000-02-29"},{"$day":"1582-10-10"}],'
         '"b":{"$label":"Birthday","$value":{"$day":"1927-01-26"}}}',
         {"a": [m.Day("1927-01-26"), m.Day("0001-01-01"), m.Day("9999-12-31"), m.Day("2000-02-29"), m.Day("1582-10-10")],
          "b": m.labeled("Birthday", m.Day("1927-01-26"))})
    good("day_and_dictionary", '{"a":{"$dict":{"$day":"1927-02-30"}},"b":{"$dict":{"$day":{"$day":"1927-01-26"}}}}',
         {"a": {"$day": "1927-02-30"}, "b": {"$day": m.Day("1927-01-26")}})
    good("data", '{"a":[{"$data":""},{"$data":"q83vEjRW"},{"$data":"+/8="},{"$data":"AA=="}]}',
         {"a": [b"", bytes.fromhex("abcdef123456"), b"\xfb\xff", b"\0"]})
    good("data_longest", '{"a":{"$data":"%sAA=="}}' % ("AAAA" * 21845), {"a": bytes(65536)})
    good("reference", '{"a":{"$ref":"person/ada"},"b":{"$ref":"x","as":"owner"}}',
         {"a": m.ref("person/ada"), "b": m.ref("x", "owner")})
    good("asset", '{"a":{"$asset":"%s/17","sha256":"%s","size":482113,"mime":"image/jpeg"}}' % (m.ID, D.hex()),
         {"a": m.asset(m.ID + "/17", "image/jpeg", 482113, D)})
    good("asset_in_parts", '{"a":{"$asset":"%s/3-10","pieces":"%s","size":7516192768,"mime":"x"}}' % (m.ID, D.hex()),
         {"a": m.asset(m.ID + "/3-10", "x", 7 * 2**30, D)})
    for name, size, place, key in (("asset_one_piece", 2**24, "/3", "sha256"), ("asset_above_one_piece", 2**24 + 1, "/3-4", "pieces"),
                                   ("asset_in_one_content_file", 2**30, "/3-4", "pieces"), ("asset_in_two_content_files", 2**30 + 1, "/3-5", "pieces")):
        good(name, '{"a":{"%s":"%s","size":%d,"mime":"x","$asset":"%s"}}' % (key, D.hex(), size, m.ID + place), {"a": m.asset(m.ID + place, "x", size, D)})
    good("asset_empty", '{"a":{"$asset":"%s/3","sha256":"%s","size":0,"mime":"x"}}' % (m.ID, D.hex()), {"a": m.asset(m.ID + "/3", "x", 0, D)})
    good("asset_largest", '{"a":{"$asset":"%s/0-16384","pieces":"%s","size":17592186044416,"mime":"x"}}' % (m.ID, D.hex()),
         {"a": m.asset(m.ID + "/0-16384", "x", 2**44, D)})
    good("labeled", '{"a":{"$value":"+49 1","$label":"HomePhone"},"b":{"$label":"x","$value":{"$date":"1969-12-31T23:59:59.5Z"}},'
         '"c":{"$label":"y","$value":[{"$label":"z","$value":1},{"k":{"$label":"z","$value":[null]}}]}}',
         {"a": m.labeled("HomePhone", "+49 1"), "b": m.labeled("x", m.Date(-500)),
          "c": m.labeled("y", [m.labeled("z", 1), {"k": m.labeled("z", [None])}])})
    good("labeled_numbers", '{"a":[{"$label":"kg","$value":1.0},{"$label":"kg","$value":0.5},{"$label":"kg","$value":{"$decimal":"1.50"}},'
         '{"$label":"kg","$value":18446744073709551616},{"$label":"%s","$value":true}]}' % ("l" * 255),
         {"a": [m.labeled("kg", 1), m.labeled("kg", 0.5), m.labeled("kg", m.Decimal(-2, 150)), m.labeled("kg", 2**64), m.labeled("l" * 255, True)]})
    good("labeled_reference_and_asset", '{"a":{"$label":"boss","$value":{"$ref":"p/1","as":"x"}},"b":{"$label":"photo","$value":'
         '{"$asset":"%s/17","sha256":"%s","size":1,"mime":"image/jpeg"}}}' % (m.ID, D.hex()),
         {"a": m.labeled("boss", m.ref("p/1", "x")), "b": m.labeled("photo", m.asset(m.ID + "/17", "image/jpeg", 1, D))})
    good("dict_wrapped", '{"a":{"$dict":{"$ref":"x","b":{"$date":"1970-01-01"}}}}', {"a": {"$ref": "x", "b": m.Date(0)}})
    good("dict_in_dict", '{"a":{"$dict":{"$a":{"$dict":{"$ref":1}},"b":{"$dict":{"$c":{"$label":"x","$value":1}}}}}}',
         {"a": {"$a": {"$ref": 1}, "b": {"$c": m.labeled("x", 1)}}})
    good("dict_not_needed", '{"a":{"$dict":{"b":{"$dict":{}}}}}', {"a": {"b": {}}})
    good("nesting_deepest", '{"a":%s1%s}' % ("[" * 127, "]" * 127), {"a": nested(127)})
    good("nesting_deepest_labeled", '{"a":%s{"$label":"x","$value":1}%s}' % ("[" * 126, "]" * 126), {"a": nested(126, m.labeled("x", 1))})

    state("counter", {"a": m.counter({A: (5, 0), B: (0, 7)})})
    state("counter_empty", {"a": m.counter({})})
    state("counter_beyond_64_bits", {"a": m.counter({A: (2**64 - 1, 1), B: (2**64 - 1, 0)})})
    state("counter_beyond_2_53", {"a": m.counter({A: (2**53, 0)}), "b": m.counter({A: (2**53, 0), B: (1, 0)}), "c": m.counter({A: (0, 2**53 + 1)})})
    state("counter_deepest", {"a": nested(125, m.counter({A: (2**64 - 1, 0)}))})
    state("set_of_labeled", {"a": m.elements([(m.labeled("x", 1), [b""]), (m.labeled("y", 1), [D]), (1, [b""])])})
    state("set", {"a": m.elements([("linux", [D]), ("db", [b"", E, D]), (3, [E])])})
    state("set_empty", {"a": m.elements([])})
    state("set_of_containers", {"a": m.elements([([1, 2], [b""]), ({"k": None}, [D]), (m.Date(0), [D])])})

    bad("json_empty", "unexpectedEnd", "")
    bad("json_cut_string", "unexpectedEnd", '{"a":"x')
    bad("json_cut_number", "unexpectedEnd", '{"a":-')
    bad("json_cut_utf8", "unexpectedEnd", b'{"a":"\xe2\x82')
    bad("json_no_value", "unexpectedCharacter", '{"a":}')
    bad("json_trailing_comma", "unexpectedCharacter", '{"a":1,}')
    bad("json_single_quotes", "unexpectedCharacter", "{'a':1}")
    bad("json_nan", "unexpectedCharacter", '{"a":NaN}')
    bad("json_infinity", "badNumber", '{"a":-Infinity}')
    bad("json_byte_order_mark", "unexpectedCharacter", b"\xef\xbb\xbf{}")
    bad("json_literal", "badLiteral", '{"a":nul}')
    bad("json_number_leading_zero", "badNumber", '{"a":012}')
    bad("json_number_no_fraction", "badNumber", '{"a":1.}')
    bad("json_number_no_exponent", "badNumber", '{"a":1e+}')
    bad("json_number_too_large", "numberOutOfRange", '{"a":%d}' % 2**8192)
    bad("json_exponent_too_large", "numberOutOfRange", '{"a":1e10001}')
    bad("json_exponent_huge", "numberOutOfRange", '{"a":1e-99999999999999999999999}')
    bad("json_control_character", "controlCharacter", b'{"a":"x\ny"}')
    bad("json_escape", "badEscape", '{"a":"\\x41"}')
    bad("json_escape_digits", "badEscape", '{"a":"\\u00g0"}')
    bad("json_surrogate_high", "loneSurrogate", '{"a":"\\ud800x"}')
    bad("json_surrogate_low", "loneSurrogate", '{"a":"\\udc00"}')
    bad("json_surrogate_pair_of_high", "loneSurrogate", '{"a":"\\ud800\\ud800"}')
    bad("json_utf8", "notUTF8", b'{"a":"\xff"}')
    bad("json_utf8_overlong", "notUTF8", b'{"a":"\xc0\xaf"}')
    bad("json_utf8_surrogate", "notUTF8", b'{"a":"\xed\xa0\x80"}')
    bad("json_utf8_beyond", "notUTF8", b'{"a":"\xf4\x90\x80\x80"}')
    bad("json_utf8_before_the_end", "notUTF8", b'{"a":"\xffx')
    bad("json_duplicate_key", "duplicateKey", '{"a":1,"b":2,"a":3}')
    bad("json_duplicate_key_escaped", "duplicateKey", '{"x":{"ab":1,"\\u0061b":2}}')
    bad("json_too_deep", "tooDeep", '{"a":%s1%s}' % ("[" * 128, "]" * 128))
    bad("json_too_deep_printed", "tooDeep", '{"a":%s9007199254740993%s}' % ("[" * 127, "]" * 127))
    bad("json_too_deep_labeled", "tooDeep", '{"a":%s{"$label":"x","$value":1}%s}' % ("[" * 127, "]" * 127))
    bad("json_array", "notAnObject", "[1]")
    bad("json_string", "notAnObject", '"x"')
    bad("json_two_values", "trailingText", "{} {}")
    bad("json_reserved_unknown", "badReserved", '{"_rid":1}')
    bad("json_reserved_rev", "badRevision", '{"_rev":"1-abc"}')
    bad("json_reserved_deleted", "badReserved", '{"_deleted":1}')
    bad("json_dollar_unknown", "badReserved", '{"a":{"$x":1}}')
    bad("json_dollar_beside_others", "badReserved", '{"a":{"$date":"1970-01-01","x":1}}')
    bad("json_dict_of_no_object", "badReserved", '{"a":{"$dict":[]}}')
    bad("json_set_in_set", "badReserved", '{"a":{"$set":[[{"$set":[]}]]}}')
    bad("json_counter_in_set", "badReserved", '{"a":{"$set":[{"$counter":1}]}}')
    bad("json_asset_incomplete", "badReserved", '{"a":{"$asset":"%s/17","size":1}}' % m.ID)
    bad("json_asset_place", "badReserved", '{"a":{"$asset":"%s/017","sha256":"%s","size":1,"mime":"x"}}' % (m.ID, D.hex()))
    for name, value in (("null", "null"), ("dictionary", "{}"), ("dollar_dictionary", '{"$dict":{"$a":1}}'), ("counter", '{"$counter":1}'),
                        ("set", '{"$set":[]}'), ("labeled", '{"$label":"y","$value":1}'), ("counter_in_array", '[{"$counter":1}]'),
                        ("set_in_array", '[[{"k":{"$set":[]}}]]')):
        bad("json_label_of_" + name, "badReserved", '{"a":{"$label":"x","$value":%s}}' % value)
    bad("json_label_alone", "badReserved", '{"a":{"$label":"x"}}')
    bad("json_label_without_text", "badReserved", '{"a":{"$label":1,"$value":1}}')
    bad("json_label_and_more", "badReserved", '{"a":{"$label":"x","$value":1,"b":1}}')
    bad("json_value_alone", "badReserved", '{"a":{"$value":1}}')
    bad("json_counter_deep_in_set", "badReserved", '{"a":{"$set":[[{"k":{"$counter":1}}]]}}')
    bad("json_asset_in_too_many_parts", "badReserved", '{"a":{"$asset":"%s/1-2","sha256":"%s","size":1,"mime":"x"}}' % (m.ID, D.hex()))
    bad("json_asset_too_large", "badReserved", '{"a":{"$asset":"%s/0-16385","pieces":"%s","size":17592186044417,"mime":"x"}}' % (m.ID, D.hex()))
    for name, place, size, key in (("large_with_sha256", "/0-1", 2**24 + 1, "sha256"), ("small_with_pieces", "/0", 2**24, "pieces"),
                                   ("without_list", "/0", 2**24 + 1, "pieces"), ("small_with_list", "/0-1", 2**24, "sha256")):
        bad("json_asset_" + name, "badReserved", '{"a":{"$asset":"%s","%s":"%s","size":%d,"mime":"x"}}' % (m.ID + place, key, D.hex(), size))
    bad("json_key_too_long", "nameTooLong", '{"a":{"%s":1}}' % ("n" * 1025))
    bad("json_property_too_long", "name tooLong", '{"%s":1}' % ("n" * 1025))
    bad("json_property_empty", "name empty", '{"":1}')
    bad("json_property_control", "name controlCharacter", '{"a\\nb":1}')
    bad("json_property_dollar", "name badStart", '{"$a":1}')
    bad("json_id_white_space", "name whiteSpace", '{"_id":"a b"}')
    bad("json_id_no_text", "name notText", '{"_id":7}')
    bad("json_type_start", "name badStart", '{"_type":"-t"}')
    bad("json_reference_id", "name empty", '{"a":{"$ref":""}}')
    bad("json_date", "badDate", '{"a":{"$date":"2026-02-29"}}')
    bad("json_date_digits", "badDate", '{"a":{"$date":"2026-02-01T00:00:00.0001Z"}}')
    bad("json_date_without_zone", "badDate", '{"a":{"$date":"2026-02-01T00:00:00"}}')
    for name, text in (("", "1927-02-30"), ("_february_29", "1900-02-29"), ("_month", "2026-13-01"), ("_zero", "2026-01-00"), ("_year_0", "0000-01-01"),
                       ("_year_10000", "10000-01-01"), ("_sign", "+2026-01-01"), ("_short", "2026-1-1"), ("_basic", "20260101"),
                       ("_with_time", "2026-01-01T00:00:00Z"), ("_blank", " 2026-01-01"), ("_empty", "")):
        bad("json_day" + name, "badDay", '{"a":{"$day":"%s"}}' % text)
    bad("json_day_number", "badDay", '{"a":{"$day":20260101}}')
    bad("json_day_beside_others", "badReserved", '{"a":{"$day":"2026-01-01","x":1}}')
    bad("json_too_deep_day", "tooDeep", '{"a":%s{"$day":"2026-01-01"}%s}' % ("[" * 127, "]" * 127))
    bad("json_data", "badData", '{"a":{"$data":"AA"}}')
    bad("json_data_spare_bits", "badData", '{"a":{"$data":"AB=="}}')
    bad("json_data_url_alphabet", "badData", '{"a":{"$data":"-_8="}}')
    bad("json_data_too_long", "dataTooLong", '{"a":{"$data":"%sAAA="}}' % ("AAAA" * 21845))
    bad("json_decimal", "badDecimal", '{"a":{"$decimal":"1,5"}}')
    bad("json_decimal_range", "badDecimal", '{"a":{"$decimal":"1e10001"}}')
    bad("json_integer", "badInteger", '{"a":{"$int":"1.0"}}')
    bad("json_integer_plus", "badInteger", '{"a":{"$int":"+1"}}')
    bad("json_counter", "badInteger", '{"a":{"$counter":1.5}}')

    cbor("cbor_empty", "truncated", "")
    cbor("cbor_cut_text", "truncated", "a1616162")
    cbor("cbor_cut_head", "truncated", "a1616118")
    cbor("cbor_count_beyond_bytes", "truncated", "bb ffffffffffffffff")
    cbor("cbor_indefinite_map", "indefinite", "bf ff")
    cbor("cbor_indefinite_array", "indefinite", one("9f ff"))
    cbor("cbor_indefinite_text", "indefinite", one("7f 61 61 ff"))
    cbor("cbor_reserved_info", "indefinite", one("1c"))
    cbor("cbor_break", "indefinite", one("ff"))
    cbor("cbor_integer_longer", "notShortest", one("1817"))
    cbor("cbor_integer_longer_2", "notShortest", one("1900ff"))
    cbor("cbor_integer_longer_8", "notShortest", one("1b00000000ffffffff"))
    cbor("cbor_text_longer", "notShortest", one("7801 61"))
    cbor("cbor_key_longer", "notShortest", "a1 7801 61 01")
    cbor("cbor_float_longer", "notShortest", one("fb3fe0000000000000"))
    cbor("cbor_single_longer", "notShortest", one("fa3f000000"))
    cbor("cbor_day_tag_longer", "notShortest", one(bytes.fromhex("da000003ec") + enc("1927-01-26")))
    cbor("cbor_day_length_longer", "notShortest", one(bytes.fromhex("d903ec780a") + b"1927-01-26"))
    cbor("cbor_date_seconds_longer", "notShortest", one("c1 1817"))
    cbor("cbor_date_1001_key_longer", "notShortest", one("d903e9 a2 1801 00 22 01"))
    cbor("cbor_no_map", "unexpectedType", "80")
    cbor("cbor_key_no_text", "unexpectedType", "a10101")
    cbor("cbor_undefined", "unexpectedType", one("f7"))
    cbor("cbor_simple_value", "unexpectedType", one("f8ff"))
    cbor("cbor_date_of_text", "unexpectedType", one("c1 60"))
    cbor("cbor_day_of_integer", "unexpectedType", one("d903ec 00"))
    cbor("cbor_day_of_data", "unexpectedType", one(bytes.fromhex("d903ec") + enc(b"1927-01-26")))
    cbor("cbor_date_of_double", "unexpectedType", one("c1 f93800"))
    cbor("cbor_date_whole_float", "unexpectedType", one("c1 f93c00"))
    cbor("cbor_date_nan", "unexpectedType", one("c1 f97e00"))
    cbor("cbor_date_1001_of_integer", "unexpectedType", one("d903e9 00"))
    cbor("cbor_date_1001_of_double", "unexpectedType", one("d903e9 a2 01 00 22 f93800"))
    cbor("cbor_date_1001_seconds_of_text", "unexpectedType", one("d903e9 a2 01 60 22 01"))
    cbor("cbor_date_1001_empty", "wrongLength", one("d903e9 a0"))
    cbor("cbor_date_1001_seconds_only", "wrongLength", one("d903e9 a1 01 00"))
    cbor("cbor_date_1001_three", "wrongLength", one("d903e9 a3 01 00 22 01 25 01"))
    cbor("cbor_date_1001_order", "wrongOrder", one("d903e9 a2 22 01 01 00"))
    cbor("cbor_date_1001_indefinite", "indefinite", one("d903e9 bf 01 00 22 01 ff"))
    cbor("cbor_decimal_of_float", "unexpectedType", one("c4 82 00 f93800"))
    cbor("cbor_not_utf8", "notUTF8", one("62 c328"))
    cbor("cbor_key_not_utf8", "notUTF8", "a1 61 ff 01")
    cbor("cbor_decimal_of_three", "wrongLength", one("c4 83 00 00 00"))
    cbor("cbor_counter_entry_of_one", "wrongLength", one(head(5, 1) + enc("$counter") + head(5, 1) + enc(A) + enc([1])))
    cbor("cbor_counter_short_instance", "wrongLength", one(head(5, 1) + enc("$counter") + head(5, 1) + enc(A[:15]) + enc([1, 20])))
    cbor("cbor_set_no_tag", "wrongLength", one(head(5, 1) + enc("$set") + head(4, 1) + enc(["x", []])))
    cbor("cbor_set_short_tag", "wrongLength", one(head(5, 1) + enc("$set") + head(4, 1) + enc(["x", [D[:31]]])))
    cbor("cbor_trailing", "trailingBytes", "a0 00")
    cbor("cbor_duplicate_property", "duplicateKey", "a2 6161 01 6161 02")
    cbor("cbor_duplicate_key", "duplicateKey", one("a2 6161 01 6161 01"))
    cbor("cbor_set_duplicate", "duplicateKey", one(head(5, 1) + enc("$set") + head(4, 2) + enc(["x", [D]]) * 2))
    cbor("cbor_tag_duplicate", "duplicateKey", one(head(5, 1) + enc("$set") + head(4, 1) + enc(["x", [D, D]])))
    cbor("cbor_counter_duplicate", "duplicateKey",
         one(head(5, 1) + enc("$counter") + head(5, 2) + (enc(A) + enc([1, 0])) * 2))
    cbor("cbor_property_order", "wrongOrder", "a2 6162 01 6161 02")
    cbor("cbor_property_order_length", "wrongOrder", "a2 626161 01 6162 02")
    cbor("cbor_set_order", "wrongOrder", one(head(5, 1) + enc("$set") + head(4, 2) + enc(["y", [D]]) + enc(["x", [D]])))
    cbor("cbor_tag_order", "wrongOrder", one(head(5, 1) + enc("$set") + head(4, 1) + enc(["x", [D, b""]])))
    cbor("cbor_too_deep", "tooDeep", one(b"\x81" * 128 + b"\0"))
    cbor("cbor_too_deep_printed", "tooDeep", one(b"\x81" * 127 + b"\x40"))
    cbor("cbor_nan", "notFinite", one("f97e00"))
    cbor("cbor_infinity", "notFinite", one("f97c00"))
    cbor("cbor_infinity_negative", "notFinite", one("fbfff0000000000000"))
    cbor("cbor_minus_zero", "notCanonicalNumber", one("f98000"))
    cbor("cbor_whole_double", "notCanonicalNumber", one("f93c00"))
    cbor("cbor_minus_2_64_double", "notCanonicalNumber", one("fadf800000"))
    cbor("cbor_bignum_short", "notCanonicalNumber", one("c2 48 ffffffffffffffff"))
    cbor("cbor_bignum_leading_zero", "notCanonicalNumber", one("c2 4a 00 ffffffffffffffff ff"))
    cbor("cbor_bignum_too_large", "outOfRange", one(b"\xc2" + enc(bytes([255]) * 1025)))
    cbor("cbor_tag_unknown", "badTag", one("c0 60"))
    cbor("cbor_tag_five", "badTag", one("c5 82 00 01"))
    cbor("cbor_tag_1002", "badTag", one("d903ea a2 01 00 22 01"))
    cbor("cbor_property_underscore", "badReserved", "a1 63 5f6964 01")
    cbor("cbor_property_dollar", "badReserved", "a1 62 2461 01")
    cbor("cbor_dollar_unknown", "badReserved", one(head(5, 1) + enc("$x") + enc(1)))
    cbor("cbor_dollar_date", "badReserved", one(head(5, 1) + enc("$date") + enc("1970-01-01")))
    cbor("cbor_dollar_day", "badReserved", one(head(5, 1) + enc("$day") + enc("1970-01-01")))
    cbor("cbor_dict_not_needed", "badReserved", one(head(5, 1) + enc("$dict") + enc({"a": 1})))
    cbor("cbor_dict_empty", "badReserved", one(head(5, 1) + enc("$dict") + enc({})))
    cbor("cbor_reference_and_more", "badReserved", one(head(5, 2) + enc("b") + enc(1) + enc("$ref") + enc("x")))
    cbor("cbor_asset_incomplete", "badReserved", one(head(5, 2) + enc("size") + enc(1) + enc("$asset") + enc(m.ID + "/1")))
    cbor("cbor_counter_zero", "badReserved", one(head(5, 1) + enc("$counter") + head(5, 1) + enc(A) + enc([0, 0])))
    cbor("cbor_set_in_set", "badReserved",
         one(head(5, 1) + enc("$set") + head(4, 1) + head(4, 2) + enc(m.elements([])) + enc([D])))
    cbor("cbor_reference_id", "badName", one(head(5, 1) + enc("$ref") + enc("a b")))
    cbor("cbor_property_control", "badName", "a1 61 0a 01")
    cbor("cbor_property_empty", "emptyName", "a1 60 01")
    cbor("cbor_property_too_long", "nameTooLong", head(5, 1) + enc("n" * 1025) + enc(1))
    cbor("cbor_property_null", "nullValue", one("f6"))
    cbor("cbor_decimal_exponent", "outOfRange", one("c4 82 192711 01"))
    cbor("cbor_date_year_10000", "outOfRange", one(b"\xc1" + enc(253402300800)))
    cbor("cbor_date_year_0", "outOfRange", one(b"\xc1" + enc(-62135596801)))
    for name, text in (("", "1927-02-30"), ("_february_29", "1900-02-29"), ("_year_0", "0000-01-01"), ("_year_10000", "10000-01-01"), ("_short", "2026-1-1"),
                       ("_with_time", "2026-01-01T00:00:00Z"), ("_longer", "2026-01-011"), ("_not_utf8", b"2026-01-0\xff"), ("_empty", "")):
        text = text if isinstance(text, bytes) else text.encode()
        cbor("cbor_day" + name, "outOfRange", one(bytes.fromhex("d903ec") + head(3, len(text)) + text))
    cbor("cbor_date_1001_year_10000", "outOfRange", one(bytes.fromhex("d903e9a201") + enc(253402300800) + bytes.fromhex("2201")))
    cbor("cbor_date_1001_year_0", "outOfRange", one(bytes.fromhex("d903e9a201") + enc(-62135596801) + bytes.fromhex("221903e7")))
    cbor("cbor_date_1001_zero", "outOfRange", one("d903e9 a2 01 00 22 00"))
    cbor("cbor_date_1001_1000", "outOfRange", one("d903e9 a2 01 00 22 1903e8"))
    cbor("cbor_date_1001_negative", "outOfRange", one("d903e9 a2 01 00 22 20"))
    cbor("cbor_date_1001_other_key", "badReserved", one("d903e9 a2 01 00 25 01"))
    cbor("cbor_date_1001_text_keys", "unexpectedType", one(b"\xd9\x03\xe9" + enc({"1": 0, "-3": 1})))
    label = lambda v, text="x": one(head(5, 2) + enc("$label") + enc(text) + enc("$value") + v)
    for name, v in (("null", b"\xf6"), ("dictionary", b"\xa0"), ("dollar_dictionary", enc({"$a": 1})), ("counter", enc(m.counter({}))),
                    ("set", enc(m.elements([]))), ("labeled", enc(m.labeled("y", 1))), ("counter_in_array", enc([m.counter({})])),
                    ("set_in_array", enc([{"k": m.elements([])}]))):
        cbor("cbor_label_of_" + name, "badReserved", label(v))
    cbor("cbor_label_alone", "badReserved", one(head(5, 1) + enc("$label") + enc("x")))
    cbor("cbor_value_alone", "badReserved", one(head(5, 1) + enc("$value") + enc(1)))
    cbor("cbor_label_and_more", "badReserved", one(head(5, 3) + enc("b") + enc(1) + enc("$label") + enc("x") + enc("$value") + enc(1)))
    cbor("cbor_label_of_data", "unexpectedType", label(enc(1), b"x"))
    cbor("cbor_label_empty", "badName", label(enc(1), ""))
    cbor("cbor_label_256", "badName", label(enc(1), "x" * 256))
    cbor("cbor_label_control", "badName", label(enc(1), "a\n"))
    place = lambda where, size, key: one(head(5, 4) + enc("mime") + enc("x") + enc("size") + enc(size) + enc("$asset") + enc(m.ID + where) + enc(key) + enc(D))
    cbor("cbor_asset_in_too_many_parts", "badReserved", place("/1-2", 2**24, "sha256"))
    cbor("cbor_asset_in_too_few_parts", "badReserved", place("/1-2", 2**30 + 1, "pieces"))
    cbor("cbor_asset_without_list", "badReserved", place("/1", 2**24 + 1, "pieces"))
    cbor("cbor_asset_too_large", "badReserved", place("/0-16385", 2**44 + 1, "pieces"))
    cbor("cbor_asset_large_with_sha256", "badReserved", place("/1-2", 2**24 + 1, "sha256"))
    cbor("cbor_asset_small_with_pieces", "badReserved", place("/1", 2**24, "pieces"))
    cbor("cbor_too_deep_counter", "tooDeep", one(b"\x81" * 126 + enc(m.counter({}))))
    cbor("cbor_too_deep_label", "tooDeep", one(b"\x81" * 127 + enc(m.labeled("x", 1))))


def nested(depth, value=1):
    for _ in range(depth): value = [value]
    return value
