import SeaEngine
import SeaCommands
import SeaTestSupport
import Testing

/// Rows of CSV and TSV: what was written is read, however it is cut, and what is wrong is told with its place.
@Suite struct TableReaderTests {
  private func input(_ bytes: [UInt8], _ capacity: Int) -> Input {
    var rest = bytes[...]
    return Input { buffer in
      let piece = rest.prefix(min(capacity, buffer.count))
      buffer.copyBytes(from: piece)
      rest = rest.dropFirst(piece.count)
      return piece.count
    }
  }

  private func rows(_ text: String, _ form: TableReader.Form, relaxed: Bool = false, _ capacity: Int) throws
    -> [[String?]]
  {
    let reader = TableReader("f", input(Array(text.utf8), capacity), form, isRelaxed: relaxed)
    var rows: [[String?]] = []
    while try reader.next() { rows.append(reader.texts) }
    return rows
  }

  /// Spreadsheets write those above and below a table.
  @Test(arguments: [1, 3, 100]) func emptyRowsAreSkipped(capacity: Int) throws {
    let text = ",,\n\nname,count\r\n,\r\nHoopoe,3\n,\n\"\",\n,,,\n"
    #expect(try rows(text, .csv, capacity) == [["name", "count"], ["Hoopoe", "3"], ["", nil]])
    #expect(try rows("a\tb\n\t\n1\t2\n\t\t\t", .tsv, capacity) == [["a", "b"], ["1", "2"]])
  }

  @Test func everyCellRoundTrips() throws {
    var random = SeededRandom(TestSeed.value)
    let signs = ["a", "é", "😀", ",", "\"", "\n", "\r", "\t", "\\", " ", "\u{1}", "x\\001", "\"\""]
    for _ in 0..<300 {
      let width = Int.random(in: 2...5, using: &random)
      let rows: [[String?]] = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        (0..<width).map { k in
          if k > 0, Bool.random(using: &random) { return nil }
          return (0..<Int.random(in: 0...6, using: &random)).map { _ in signs.randomElement(using: &random)! }.joined()
        }
      }
      let end = Bool.random(using: &random) ? "\r\n" : "\n"
      let csv = rows.map { Escape.csv($0) }.joined(separator: end) + (Bool.random(using: &random) ? end : "")
      let tsv = rows.map {
        $0.map { $0.map { $0.isEmpty ? "\"\"" : Escape.quoted($0) } ?? "" }.joined(separator: "\t")
      }.joined(separator: end)
      for capacity in [1, 2, 3, 7, 1000] {
        for relaxed in [false, true] {
          #expect(try self.rows(csv, .csv, relaxed: relaxed, capacity) == rows, "\(csv)")
          #expect(try self.rows(tsv, .tsv, relaxed: relaxed, capacity) == rows, "\(tsv)")
        }
      }
    }
  }

  @Test func lenientSyntaxIsAccepted() throws {
    for capacity in [1, 2, 1000] {
      #expect(try rows("\u{FEFF}a,b\r\n\r\n\n1,\"\"\n", .csv, capacity) == [["a", "b"], ["1", ""]])
      #expect(try rows("a,b \"c\" d\n", .csv, relaxed: true, capacity) == [["a", "b \"c\" d"]])
      #expect(try rows("a\tb \"c\"\n\"x\"\"y\"\t\"z\\tt\"", .tsv, capacity) == [["a", "b \"c\""], ["x\"y", "z\tt"]])
      let odd = "\"a\tb\"\n\"x\" y\t\"\\q\"\n\"\t\"\"\r\n"
      let kept = [["\"a", "b\""], ["\"x\" y", "\"\\q\""], ["\"", ""]]
      #expect(try rows(odd, .tsv, relaxed: true, capacity) == kept)
      #expect(try rows("", .csv, capacity) == [])
      #expect(try rows(",\n", .csv, capacity).isEmpty)
    }
  }

  /// The first rows determine the separator only if exactly one separator fits all of them.
  @Test(arguments: [1, 3, 1000]) func separatorIsFoundInFirstRows(capacity: Int) throws {
    func found(_ text: String) throws -> [[String?]] {
      let reader = TableReader("f", input(Array(text.utf8), capacity), .csv, findsSeparator: true)
      var rows: [[String?]] = []
      while try reader.next() { rows.append(reader.texts) }
      return rows
    }
    #expect(try found("a;b\n1,5;2\n;\n3;4,5") == [["a", "b"], ["1,5", "2"], ["3", "4,5"]])
    #expect(try found("a\tb\r\n\"x\n\ty\"\t2\r\n") == [["a", "b"], ["x\n\ty", "2"]])
    #expect(try found("a|b\n\"1\"\"|\"|2\n") == [["a", "b"], ["1\"|", "2"]])
    #expect(try found("\"a;b\",c\nx;y,2\n") == [["a;b", "c"], ["x;y", "2"]])
    #expect(try found("a;b\n1\n") == [["a;b"], ["1"]])
    #expect(try found("sep=|\r\na|b\n") == [["a", "b"]])
    #expect(try found("a,b\n1;2,3;4\n") == [["a", "b"], ["1;2", "3;4"]])
    #expect(throws: CommandError.self) { try found("a,x;b,y\n1,5;2,3\n") }
    let rows = String(repeating: "1;2\n", count: 40_000)
    #expect(try found("a;b\n" + rows + "1;2;3\n").last == ["1", "2", "3"])
  }

  @Test func errorsReportLineAndColumn() throws {
    let cases: [(bytes: [UInt8], form: TableReader.Form, line: Int, column: Int, fault: TableFault)] = [
      (Array("a,b\n1,x\"y\n".utf8), .csv, 2, 4, .quoteInside),
      (Array("a,b\n\"1\n2\",\"x\"y\n".utf8), .csv, 3, 7, .textAfterQuote),
      (Array("a,b\n1,\"x\n\n".utf8), .csv, 2, 3, .unclosedQuote),
      (Array("a,b\n1\r2,3\n".utf8), .csv, 2, 2, .carriageReturn),
      (Array("a,b\n1,2\r".utf8), .csv, 2, 4, .carriageReturn),
      (Array("a\n\"x\u{0}\"\n".utf8), .tsv, 2, 3, .nul), (Array("a\nx\u{0}\n".utf8), .csv, 2, 2, .nul),
      ([0x61, 0x0A, 0x62, 0xFF, 0x0A], .csv, 2, 2, .notUTF8(likely: .windows1252)),
      ([0x61, 0, 0x62, 0], .csv, 1, 1, .utf16), ([0xFF, 0xFE, 0x61, 0, 0x0A], .csv, 1, 2, .badUTF16),
      (Array("a\n\"x\\q\"\n".utf8), .tsv, 2, 3, .badEscape), (Array("a\n\"\\777\"\n".utf8), .tsv, 2, 2, .badEscape),
      (Array("a\n\"x\n".utf8), .tsv, 2, 1, .unclosedQuote), (Array("a\n\"x\"y\n".utf8), .tsv, 2, 4, .textAfterQuote),
    ]
    for one in cases {
      for capacity in [1, 2, 3, 1000] {
        let reader = TableReader("f", input(one.bytes, capacity), one.form)
        do {
          while try reader.next() {}
          Issue.record("\(one) was taken")
        } catch CommandError.table(_, let line, let column, let fault, _) {
          #expect((line, column) == (one.line, one.column) && fault == one.fault, "\(one) \(line):\(column) \(fault)")
        }
      }
    }
  }

  /// Behind a row that is wrong it goes on with the next line.
  @Test func readingContinuesAfterBadRow() throws {
    for capacity in [1, 2, 3, 1000] {
      let reader = TableReader("f", input(Array("a,b\n1,x\"y\n\"2\"x,\n3,4\n".utf8), capacity), .csv)
      var rows: [[String?]] = []
      var faults = 0
      while true {
        do {
          guard try reader.next() else { break }
          rows.append(reader.texts)
        } catch { faults += 1 }
      }
      #expect(rows == [["a", "b"], ["3", "4"]] && faults == 2)
    }
  }
}
