import Foundation
import SeaCore
import Testing

/// The vectors of Tests/vectors/record: see make.py there.
@Suite struct RecordVectorTests {
  struct Vector: CustomTestStringConvertible {
    var headers: [String: String] = [:]
    var bytes: [UInt8] = []
    var testDescription: String { headers["name"] ?? "?" }

    init(_ file: [UInt8]) {
      var rest = file[...]
      while let end = rest.firstIndex(of: 0x0A) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest = rest[(end + 1)...]
        if line.isEmpty { break }
        guard let colon = line.range(of: ": ") else { continue }
        headers[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
      }
      bytes = Array(rest)
      if headers["bytes"] == "cbor" {
        bytes = Hex.bytes(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)) ?? []
      }
    }
  }

  static let all: [Vector] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../vectors/record")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".txt") }.sorted().compactMap { name in
      (try? Data(contentsOf: folder.appendingPathComponent(name))).map { Vector(Array($0)) }
    }
  }()

  @Test(arguments: all) func recordMatchesVector(vector: Vector) throws {
    switch vector.headers["expect"] {
    case "ok":
      let cbor = try #require(vector.headers["cbor"])
      let json = try #require(vector.headers["json"])
      if vector.headers["bytes"] == "json" {
        #expect(Hex.text(try RecordSupport.encode(vector.bytes).body) == cbor)
        #expect(Hex.text(try RecordSupport.body(json)) == cbor)
      }
      let body = try #require(Hex.bytes(cbor))
      try RecordSupport.validate(body)
      #expect(try RecordSupport.json(body) == json)
      #expect(Hex.text(try RecordSupport.value(body).encoding) == cbor)
    case "json": #expect(Self.fault(RecordSupport.refusal(vector.bytes)) == vector.headers["fault"])
    case "encoding":
      let error = RecordSupport.refusal(hex: Hex.text(vector.bytes))
      guard case .badEncoding(let fault, let offset)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(fault.rawValue == vector.headers["fault"])
      #expect(offset <= vector.bytes.count)
      #expect(throws: CoreError.self) { try RecordSupport.value(vector.bytes) }
    default: Issue.record("a vector expects ok, json or encoding")
    }
  }

  private static func fault(_ error: CoreError?) -> String? {
    switch error {
    case .badJSON(let fault, _)?: fault.rawValue
    case .badMember(_, let fault, _, _)?: "name \(fault.rawValue)"
    default: nil
    }
  }

  /// Every way to be refused has a vector. (`tooLong` needs 4 GiB; `tooMany`, `badString` and `nullValue` of JSON are
  /// said by other layers.)
  @Test func everyFaultHasAVector() {
    let seen = Set(Self.all.compactMap { v in v.headers["fault"].map { "\(v.headers["expect"]!) \($0)" } })
    let encoding: [EncodingFault] = [
      .truncated, .indefinite, .notShortest, .unexpectedType, .notUTF8, .wrongLength, .trailingBytes, .duplicateKey,
      .wrongOrder, .tooDeep, .notFinite, .notCanonicalNumber, .badTag, .badReserved, .outOfRange, .emptyName,
      .nameTooLong, .badName, .nullValue,
    ]
    let json: [JSONFault] = [
      .unexpectedEnd, .unexpectedCharacter, .badLiteral, .badNumber, .numberOutOfRange, .controlCharacter, .badEscape,
      .loneSurrogate, .notUTF8, .duplicateKey, .tooDeep, .notAnObject, .badReserved, .badRevision, .nameTooLong,
      .badDate,
      .badData, .badDecimal, .badInteger, .dataTooLong, .trailingText,
    ]
    for fault in encoding { #expect(seen.contains("encoding \(fault.rawValue)")) }
    for fault in json { #expect(seen.contains("json \(fault.rawValue)")) }
    #expect(Self.all.count >= 150)
  }
}
