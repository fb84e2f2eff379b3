import CExpat

/// An XML element with its content. Names have no namespace prefix.
package final class XMLTree {
  package let name: String
  package private(set) var text = ""
  package private(set) var children: [XMLTree] = []

  private init(_ name: String) { self.name = name }

  package func text(_ name: String) -> String? { children.first { $0.name == name }?.text }

  static let largest = 16 << 20
  private static let deepest = 16
  private static let mostElements = 100_000

  /// Returns nil if the XML is invalid, contains a document type declaration (which could define entities), or has too
  /// many elements.
  package static func parse(_ bytes: [UInt8]) -> XMLTree? {
    guard bytes.count <= largest, let parser = XML_ParserCreateNS("UTF-8", 0x7C) else { return nil }
    defer { XML_ParserFree(parser) }
    let reading = Reading(parser)
    XML_SetUserData(parser, Unmanaged.passUnretained(reading).toOpaque())
    XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in Reading.of(context).stop() }
    XML_SetElementHandler(
      parser, { context, name, _ in Reading.of(context).begin(String(cString: name!)) },
      { context, _ in Reading.of(context).end() })
    XML_SetCharacterDataHandler(parser) { context, bytes, count in
      Reading.of(context).appendText(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
    let status = bytes.withUnsafeBytes { buffer in
      XML_Parse(parser, buffer.bindMemory(to: CChar.self).baseAddress, Int32(buffer.count), 1)
    }
    return withExtendedLifetime(reading) { status == XML_STATUS_OK ? reading.root : nil }
  }

  private final class Reading {
    private let parser: XML_Parser
    private(set) var root: XMLTree?
    private var open: [XMLTree] = []
    private var count = 0

    init(_ parser: XML_Parser) { self.parser = parser }

    static func of(_ context: UnsafeMutableRawPointer?) -> Reading {
      Unmanaged<Reading>.fromOpaque(context!).takeUnretainedValue()
    }

    func stop() { XML_StopParser(parser, XML_Bool(XML_FALSE)) }

    func begin(_ name: String) {
      count += 1
      guard open.count < deepest, count <= mostElements else { return stop() }
      let element = XMLTree(String(name.split(separator: "|").last ?? ""))
      if let parent = open.last { parent.children.append(element) } else { root = element }
      open.append(element)
    }

    func appendText(_ bytes: UnsafeRawBufferPointer) {
      if let element = open.last { element.text += String(decoding: bytes, as: UTF8.self) }
    }

    func end() { open.removeLast() }
  }
}
