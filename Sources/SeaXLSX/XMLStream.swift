import CExpat
import Glibc

/// Receives the elements of an XML file. Elements of unknown namespaces have an empty name.
protocol XMLReader: AnyObject {
  func begin(_ name: String, _ attributes: XMLAttributes) throws
  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws
  func end(_ name: String) throws
}

/// The attributes of an element, which are valid during the call.
struct XMLAttributes {
  fileprivate let pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>

  subscript(_ name: StaticString) -> String? {
    var next = pairs
    while let key = next[0], let value = next[1] {
      if strcmp(key, name.utf8Start) == 0 { return String(cString: value) }
      next += 2
    }
    return nil
  }

  /// The id of a relationship, in either namespace.
  var relationship: String? {
    self["http://schemas.openxmlformats.org/officeDocument/2006/relationships|id"]
      ?? self["http://purl.oclc.org/ooxml/officeDocument/relationships|id"]
  }

  var keepsBlanks: Bool { self["http://www.w3.org/XML/1998/namespace|space"] == "preserve" }
}

/// Passes XML that arrives in pieces to a reader. Refuses document type declarations, because they define entities.
final class XMLStream {
  private static let namespaces = [
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main|", "http://purl.oclc.org/ooxml/spreadsheetml/main|",
    "http://schemas.openxmlformats.org/package/2006/relationships|",
  ].map { Array($0.utf8CString.dropLast()) }

  private let part: String
  private let reader: any XMLReader
  private let parser: XML_Parser
  /// The error that the reader threw, stored here because expat does not keep it.
  private var failure: (any Error)?

  init(_ part: String, _ reader: any XMLReader) throws {
    var memory = XMLMemory.functions
    guard let parser = XML_ParserCreate_MM(nil, &memory, "|") else { throw Refusal("not enough memory") }
    (self.part, self.reader, self.parser) = (part, reader, parser)
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
      XMLStream.of(context).run { throw Refusal("\($0.part) has a document type declaration, which is not allowed") }
    }
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        XMLStream.of(context).run { try $0.reader.begin(XMLStream.plain(name!), XMLAttributes(pairs: attributes!)) }
      },
      { context, name in XMLStream.of(context).run { try $0.reader.end(XMLStream.plain(name!)) } })
    XML_SetCharacterDataHandler(parser) { context, bytes, count in
      bytes!.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { bytes in
        XMLStream.of(context).run { try $0.reader.text(UnsafeBufferPointer(start: bytes, count: Int(count))) }
      }
    }
  }

  deinit { XML_ParserFree(parser) }

  private static func of(_ context: UnsafeMutableRawPointer?) -> XMLStream {
    Unmanaged<XMLStream>.fromOpaque(context!).takeUnretainedValue()
  }

  private func run(_ body: (XMLStream) throws -> Void) {
    guard failure == nil else { return }
    do { try body(self) } catch {
      failure = error
      XML_StopParser(parser, XML_Bool(XML_FALSE))
    }
  }

  private static func plain(_ name: UnsafePointer<CChar>) -> String {
    for namespace in namespaces where strncmp(name, namespace, namespace.count) == 0 {
      return String(cString: name + namespace.count)
    }
    return ""
  }

  /// - Parameter bytes: the next bytes; empty at the end.
  func consume(_ bytes: UnsafeRawBufferPointer) throws {
    let text = bytes.bindMemory(to: CChar.self)
    let status = XML_Parse(parser, text.baseAddress, Int32(text.count), text.isEmpty ? 1 : 0)
    if let failure { throw failure }
    guard status != XML_STATUS_OK else { return }
    let code = XML_GetErrorCode(parser)
    if code == XML_ERROR_NO_MEMORY { throw Refusal("\(part) is nested too deeply, or has names that are too long") }
    let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "invalid XML"
    throw Refusal("\(part), line \(XML_GetCurrentLineNumber(parser)): \(reason)")
  }
}

/// The memory of expat, which is limited, because a file could nest elements or extend names without end. At any time,
/// there is only one parser.
private enum XMLMemory {
  private static let most = 4 << 20
  private static let header = 16
  nonisolated(unsafe) private static var used = 0

  static let functions = XML_Memory_Handling_Suite(
    malloc_fcn: { resize(nil, $0) }, realloc_fcn: { resize($0, $1) },
    free_fcn: { block in
      guard let block else { return }
      used -= (block - header).load(as: Int.self)
      free(block - header)
    })

  /// Each block begins with its size.
  private static func resize(_ block: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
    let before = block.map { ($0 - header).load(as: Int.self) } ?? 0
    guard size >= 0, size <= most - used + before, let new = realloc(block.map { $0 - header }, size + header) else {
      return nil
    }
    used += size - before
    new.storeBytes(of: size, as: Int.self)
    return new + header
  }
}
