import Foundation
import SeaCore
import Testing

/// The files of Tests/vectors/crypto.
enum PublishedVectors {
  static func bytes(_ path: String) throws -> Data {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return try Data(contentsOf: folder.appendingPathComponent("../../vectors/crypto/" + path))
  }

  /// One case: its own fields and those of the group that it stands in.
  struct Case {
    let fields: [String: Any]

    func text(_ key: String) -> String { fields[key] as? String ?? "" }
    func number(_ key: String) throws -> Int { try #require(fields[key] as? Int, "\(key)") }
    var isValid: Bool { text("result") == "valid" }
    var name: String { "case \(fields["tcId"] ?? fields["number"] ?? "?")" }

    func bytes(_ key: String) throws -> [UInt8] {
      try #require((fields[key] as? String).flatMap { Hex.bytes($0) }, "\(key) of \(name)")
    }
  }

  static func wycheproof(_ name: String) throws -> [Case] {
    let file = try JSONSerialization.jsonObject(with: bytes("wycheproof/\(name).json")) as? [String: Any]
    let groups = try #require(file?["testGroups"] as? [[String: Any]])
    let cases = groups.flatMap { group in
      (group["tests"] as? [[String: Any]] ?? []).map { test in Case(fields: group.merging(test) { $1 }) }
    }
    #expect(cases.count == file?["numberOfTests"] as? Int)
    return cases
  }

  static func array(_ path: String) throws -> [Case] {
    let cases = try JSONSerialization.jsonObject(with: bytes(path)) as? [[String: Any]]
    return try #require(cases).map { Case(fields: $0) }
  }

  /// A response file of NIST: blocks of `KEY = VALUE`, a block ending at an empty line. A word alone is a key.
  static func response(_ path: String) throws -> [[String: String]] {
    var blocks: [[String: String]] = [[:]]
    let text = String(decoding: try bytes(path), as: UTF8.self)
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
      if line.isEmpty { blocks.append([:]) }
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix("[") { continue }
      let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      blocks[blocks.count - 1][parts[0]] = parts.count == 2 ? parts[1] : ""
    }
    return blocks.filter { !$0.isEmpty }
  }

  static func hex(_ block: [String: String], _ key: String) throws -> [UInt8] {
    try #require(block[key].flatMap { Hex.bytes($0) }, "\(key)")
  }

  /// Says how many there were, and holds the number against what is published.
  static func counted(_ name: String, _ count: Int, of expected: Int) {
    print("vectors: \(name) \(count)")
    #expect(count == expected, "\(name)")
  }
}
