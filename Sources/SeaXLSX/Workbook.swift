import SeaCore
import SeaSystem

/// A workbook: its sheets, and the parts that all sheets share.
final class Workbook {
  struct Sheet {
    let name: String
    let isHidden: Bool
    let part: String
  }

  private let archive: Archive
  let sheets: [Sheet]
  let from1904: Bool
  private let links: Relationships
  private let folder: String

  init(_ path: String) throws {
    archive = try Archive(path)
    let top = Relationships()
    guard try Workbook.read("_rels/.rels", of: archive, top),
      let main = top.all.values.first(where: { $0.isA("officeDocument") }).flatMap({ $0.part(in: "") }),
      main.hasSuffix(".xml")
    else { throw Refusal("not an .xlsx workbook; save the table as .xlsx or CSV") }
    let contents = WorkbookReader()
    guard try Workbook.read(main, of: archive, contents) else { throw Refusal("\(main) is missing") }
    folder = Path.parent("/" + main)
    links = Relationships()
    let within = folder == "/" ? "" : folder.dropFirst() + "/"
    _ = try Workbook.read("\(within)_rels/\(Path.name(main)).rels", of: archive, links)
    from1904 = contents.from1904
    var sheets: [Sheet] = []
    for one in contents.sheets {
      guard let link = links.all[one.link], link.isA("worksheet") else { continue }
      guard let part = link.part(in: folder) else { throw Refusal("sheet '\(one.name)' is in another file") }
      sheets.append(Sheet(name: one.name, isHidden: one.isHidden, part: part))
    }
    guard !sheets.isEmpty else { throw Refusal("not an .xlsx workbook, or one without a table") }
    self.sheets = sheets
  }

  /// Returns the sheet with this name, or else the first sheet that is not hidden.
  func sheet(_ name: String?) throws -> Sheet {
    guard let name else { return sheets.first { !$0.isHidden } ?? sheets[0] }
    guard let sheet = sheets.first(where: { UTF8Text.equal($0.name, name) }) else {
      throw Refusal("sheet '\(name)' does not exist; the workbook has \(Workbook.names(sheets))")
    }
    return sheet
  }

  static func names(_ sheets: [Sheet]) -> String {
    let shown = sheets.prefix(20).map { "'\($0.name)'" }.joined(separator: ", ")
    return sheets.count > 20 ? "\(shown) and \(sheets.count - 20) more" : shown
  }

  func read(_ sheet: Sheet, _ reader: SheetReader) throws {
    guard try Workbook.read(sheet.part, of: archive, reader) else { throw Refusal("\(sheet.part) is missing") }
  }

  func sharedStrings() throws -> SharedStrings { try shared("sharedStrings", SharedStrings()) }
  func styles() throws -> Styles { try shared("styles", Styles()) }

  private func shared<Reader: XMLReader>(_ kind: String, _ reader: Reader) throws -> Reader {
    guard let link = links.all.values.first(where: { $0.isA(kind) }) else { return reader }
    guard let part = link.part(in: folder), try Workbook.read(part, of: archive, reader) else {
      throw Refusal("\(link.target) is missing")
    }
    return reader
  }

  private static func read(_ part: String, of archive: Archive, _ reader: any XMLReader) throws -> Bool {
    let stream = try XMLStream(part, reader)
    guard try archive.read(part, stream.consume) else { return false }
    try stream.consume(UnsafeRawBufferPointer(start: nil, count: 0))
    return true
  }
}

/// The links from a part to other parts.
private final class Relationships: XMLReader {
  struct Link {
    let type: String
    let target: String
    let isExternal: Bool

    func isA(_ kind: String) -> Bool { type.hasSuffix("/" + kind) }

    /// Returns the name of a part; nil if the target is outside of the workbook.
    func part(in folder: String) -> String? {
      if isExternal { return nil }
      var names = target.hasPrefix("/") ? [] : folder.split(separator: "/")
      for name in target.split(separator: "/") where name != "." {
        if name != ".." { names.append(name) } else if names.popLast() == nil { return nil }
      }
      return names.joined(separator: "/")
    }
  }

  private(set) var all: [String: Link] = [:]

  func begin(_ name: String, _ attributes: XMLAttributes) throws {
    guard name == "Relationship", let id = attributes["Id"], let type = attributes["Type"],
      let target = attributes["Target"]
    else { return }
    try Limits.check(all.count)
    all[id] = Link(type: type, target: target, isExternal: attributes["TargetMode"] == "External")
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
  func end(_ name: String) {}
}

private enum Limits {
  static func check(_ count: Int) throws {
    // Excel allows fewer sheets, number formats and styles.
    guard count < 1 << 16 else { throw Refusal("the workbook has too many sheets or styles") }
  }
}

private final class WorkbookReader: XMLReader {
  private(set) var sheets: [(name: String, isHidden: Bool, link: String)] = []
  private(set) var from1904 = false

  func begin(_ name: String, _ attributes: XMLAttributes) throws {
    switch name {
    case "workbookPr": from1904 = ["1", "true"].contains(attributes["date1904"])
    case "sheet":
      guard let name = attributes["name"], let link = attributes.relationship else { return }
      try Limits.check(sheets.count)
      sheets.append((name, attributes["state"] ?? "visible" != "visible", link))
    default: break
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
  func end(_ name: String) {}
}

/// The formats of cells, by style number.
final class Styles: XMLReader {
  private var codes: [Int: CellFormat] = [:]
  private var formats: [Int] = []
  private var isInCells = false

  /// Returns nil for an unknown style.
  func format(_ style: Int) -> CellFormat? {
    guard formats.indices.contains(style) else { return style == 0 ? .number : nil }
    return codes[formats[style]] ?? CellFormat(builtIn: formats[style])
  }

  func begin(_ name: String, _ attributes: XMLAttributes) throws {
    switch name {
    case "numFmt":
      guard let id = attributes["numFmtId"].flatMap({ Int($0) }), let code = attributes["formatCode"] else { return }
      try Limits.check(codes.count)
      codes[id] = CellFormat(code: code)
    case "cellXfs": isInCells = true
    case "xf" where isInCells:
      try Limits.check(formats.count)
      formats.append(attributes["numFmtId"].flatMap { Int($0) } ?? 0)
    default: break
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
  func end(_ name: String) { if name == "cellXfs" { isInCells = false } }
}

/// The texts that cells share. They are kept in memory, up to a limit.
final class SharedStrings: XMLReader {
  private static let most = 256 << 20
  private static let costOfEach = 8

  private var text = RichText()
  private var bytes = ByteWriter(capacity: 1 << 12)
  private var ends: [UInt32] = []

  /// Returns nil if there is no such text.
  func text(_ number: Int) -> UnsafeBufferPointer<UInt8>? {
    guard ends.indices.contains(number) else { return nil }
    let start = number == 0 ? 0 : Int(ends[number - 1])
    return UnsafeBufferPointer(rebasing: bytes.bytes[start..<Int(ends[number])])
  }

  func begin(_ name: String, _ attributes: XMLAttributes) {
    if name == "si" { text = RichText() }
    text.begin(name, attributes)
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws { try text.append(bytes) }

  func end(_ name: String) throws {
    text.end(name)
    guard name == "si" else { return }
    guard bytes.count + text.bytes.count + SharedStrings.costOfEach * ends.count <= SharedStrings.most else {
      throw Refusal("the workbook has more than \(SharedStrings.most >> 20) MiB of texts; save the sheet as CSV")
    }
    bytes.append(text.bytes)
    ends.append(UInt32(bytes.count))
  }
}

/// The text of a cell: all its runs, without phonetic hints.
struct RichText {
  static let longest = 16 << 20

  private(set) var bytes: [UInt8] = []
  private var phonetic = 0
  private var start: Int?
  private var keepsBlanks = false

  mutating func begin(_ name: String, _ attributes: XMLAttributes) {
    if name == "rPh" { phonetic += 1 }
    guard name == "t", phonetic == 0 else { return }
    (start, keepsBlanks) = (bytes.count, attributes.keepsBlanks)
  }

  mutating func append(_ more: UnsafeBufferPointer<UInt8>) throws {
    guard start != nil else { return }
    guard bytes.count + more.count <= RichText.longest else {
      throw Refusal("a text is longer than \(RichText.longest >> 20) MiB")
    }
    bytes.append(contentsOf: more)
  }

  mutating func end(_ name: String) {
    if name == "rPh" { phonetic -= 1 }
    guard name == "t", phonetic == 0, let start else { return }
    var run = bytes[start...]
    // Like Excel, ignore the blanks around a text unless the file says that they belong to it.
    if !keepsBlanks {
      run = run.drop(while: RichText.isBlank)
      while let last = run.last, RichText.isBlank(last) { run.removeLast() }
    }
    bytes.replaceSubrange(start..., with: RichText.unescaped(run))
    self.start = nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Replaces `_x000D_` and the like, which stand for characters that XML cannot contain.
  static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    guard text.contains(0x5F) else { return Array(text) }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var rest = text
    while let first = rest.first {
      var length = 1
      if let unit = unit(rest) {
        var units = [unit]
        if UTF16.isLeadSurrogate(unit), let next = self.unit(rest.dropFirst(7)) { units.append(next) }
        if let text = String(validating: units, as: UTF16.self) {
          result += text.utf8
          length = 7 * units.count
        } else if let text = String(validating: units.prefix(1), as: UTF16.self) {
          result += text.utf8
          length = 7
        }
      }
      if length == 1 { result.append(first) }
      rest = rest.dropFirst(length)
    }
    return result
  }

  /// Returns the code unit that an escape at the beginning stands for.
  private static func unit(_ text: ArraySlice<UInt8>) -> UInt16? {
    let escape = text.prefix(7)
    guard escape.count == 7, escape.starts(with: "_x".utf8), escape.last == 0x5F else { return nil }
    return escape.dropFirst(2).dropLast().reduce(UInt16?(0)) { value, digit in
      guard let value, let digit = Hex.value(digit | 0x20) else { return nil }
      return value << 4 | UInt16(digit)
    }
  }
}
