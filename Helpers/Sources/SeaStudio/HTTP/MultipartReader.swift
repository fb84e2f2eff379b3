/// Reads a form with files (RFC 7578) piece by piece.
final class MultipartReader {
  struct Part {
    let name: String
    /// The name of a chosen file; nil if the part is a field.
    let fileName: String?
  }

  private let delimiter: [UInt8]
  private let next: () async throws -> [UInt8]?
  /// The first delimiter has no line before it; this is the end of that line.
  private var buffer: [UInt8] = [0x0D, 0x0A]
  private var hasPiece = true
  private var hasEnded = false

  private static let mostHeader = 16 << 10

  init(_ boundary: String, _ next: @escaping () async throws -> [UInt8]?) {
    delimiter = Array("\r\n--\(boundary)".utf8)
    self.next = next
  }

  /// Skips the rest of the current part and returns the next one; nil at the end.
  func nextPart() async throws -> Part? {
    if hasEnded { return nil }
    // Text before the first delimiter has no meaning.
    while try await nextPiece() != nil {}
    // After a delimiter: the line ends, or two hyphens end the form.
    try await fill(2)
    if buffer.starts(with: [0x2D, 0x2D]) {
      hasEnded = true
      while try await next() != nil {}
      return nil
    }
    guard buffer.starts(with: [0x0D, 0x0A]) else { throw broken }
    var end = MultipartReader.find([0x0D, 0x0A, 0x0D, 0x0A], in: buffer, from: 0)
    while end == nil {
      guard buffer.count <= MultipartReader.mostHeader, let piece = try await next() else { throw broken }
      buffer += piece
      end = MultipartReader.find([0x0D, 0x0A, 0x0D, 0x0A], in: buffer, from: 0)
    }
    guard let header = String(validating: buffer[2..<max(2, end!)], as: UTF8.self), let part = part(header) else {
      throw broken
    }
    buffer.removeFirst(end! + 4)
    hasPiece = true
    return part
  }

  /// Returns the next bytes of the part; nil at its end.
  func nextPiece() async throws -> [UInt8]? {
    guard hasPiece else { return nil }
    while true {
      if let end = MultipartReader.find(delimiter, in: buffer, from: 0) {
        let piece = Array(buffer[..<end])
        buffer.removeFirst(end + delimiter.count)
        hasPiece = false
        return piece.isEmpty ? nil : piece
      }
      let safe = buffer.count - delimiter.count + 1
      if safe > 1 << 16 {
        let piece = Array(buffer[..<safe])
        buffer.removeFirst(safe)
        return piece
      }
      guard let more = try await next() else { throw broken }
      buffer += more
    }
  }

  private func fill(_ count: Int) async throws {
    while buffer.count < count {
      guard let piece = try await next() else { throw broken }
      buffer += piece
    }
  }

  private var broken: Refusal { Refusal(400, "the form is not valid") }

  private func part(_ header: String) -> Part? {
    for line in header.split(separator: "\r\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "content-disposition" else { continue }
      guard let name = MultipartReader.parameter("name", in: String(parts[1])) else { return nil }
      return Part(name: name, fileName: MultipartReader.parameter("filename", in: String(parts[1])))
    }
    return nil
  }

  /// Browsers write `"` as `%22`, and line ends as `%0D%0A`.
  private static func parameter(_ name: String, in header: String) -> String? {
    let start = "; \(name)=\""
    var rest = header[...]
    while !rest.isEmpty {
      if rest.hasPrefix(start) {
        let value = rest.dropFirst(start.count)
        guard let end = value.firstIndex(of: "\"") else { return nil }
        return String(value[..<end]).replacing("%22", with: "\"").replacing("%0D", with: "").replacing("%0A", with: " ")
      }
      // The quotes around other values may contain anything.
      if rest.first == "\"" {
        guard let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
        rest = rest[rest.index(after: end)...]
      } else {
        rest.removeFirst()
      }
    }
    return nil
  }

  private static func find(_ wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= wanted.count else { return nil }
    return bytes.withUnsafeBufferPointer { bytes in
      let first = wanted[0]
      var at = start
      let last = bytes.count - wanted.count
      while at <= last {
        if bytes[at] == first {
          var k = 1
          while k < wanted.count, bytes[at + k] == wanted[k] { k += 1 }
          if k == wanted.count { return at }
        }
        at += 1
      }
      return nil
    }
  }
}
