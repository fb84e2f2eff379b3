import SeaContainer
import SeaCore
import SeaTestSupport
import Testing

@Suite struct InfoFileTests {
  private let rest =
    #""containerID":"00000000-0000-0001-0000-000000000002","databaseID":"00000000-0000-4003-8000-000000000004""#

  private func parse(_ text: String) throws -> ContainerInfo { try ContainerInfo(Array(text.utf8), path: "p") }

  @Test func infoIsOneLineAndReadsBack() throws {
    #expect(Specimen.info.text == "{\"sea\":4,\(rest),\"contentType\":\"org.example.birds\"}\n")
    for type in ["", "a\"b\\c", "\u{1}\n\u{7F}", "é😀", "\u{2028}"] {
      let info = ContainerInfo(container: UUID(high: 1, low: 2), database: Specimen.info.database, contentType: type)
      #expect(try parse(info.text) == info)
    }
  }

  @Test(arguments: Vector.all("name"))
  func vectorsGiveExpectedResult(_ vector: Vector) throws {
    let text = vector.text.joined(separator: "\n")
    do {
      let info = try parse(text)
      #expect(vector["expect"] == "ok")
      #expect(info.database == vector.database)
      #expect((info.proof.map { Hex.text($0.bytes) } ?? "none") == vector["proof"])
    } catch ContainerError.badInfo(let fault, _) {
      #expect(vector["expect"] == (fault == .noProof ? "no-proof" : "bad-info"))
    } catch {
      #expect(vector["expect"] == "incompatible", "\(error)")
    }
  }

  private func proof(_ flags: UInt8) throws -> DatabaseProof {
    let keys = try [1, 2].map { try Ed25519.publicKey(seed: [UInt8](repeating: $0, count: 32)) }
    return try #require(
      DatabaseProof(
        keys[0] + [flags] + SHA256.hash(Array("x".utf8)).bytes
          + (flags & 1 == 0 ? [] : [UInt8](repeating: 0xAB, count: 32))
          + (flags & 4 == 0 ? [] : keys[1])))
  }

  @Test(arguments: [0, 1, 2, 3, 6, 7] as [UInt8]) func proofMustMatchDatabaseID(_ flags: UInt8) throws {
    let proof = try proof(flags)
    let info = ContainerInfo(
      container: UUID(high: 1, low: 2), database: proof.database, contentType: "x", proof: proof)
    #expect(try parse(info.text) == info)
    #expect(try parse(info.text).sealed == (flags & 1 != 0))
    // Whatever is taken away, put in or changed: it gives another name.
    for other in [0, 1, 2, 3, 6, 7] as [UInt8] where other != flags {
      let lie = ContainerInfo(
        container: UUID(high: 1, low: 2), database: proof.database, contentType: "x", proof: try self.proof(other))
      #expect(throws: ContainerError.badInfo(.noProof, path: "p")) { try parse(lie.text) }
    }
    let bare = ContainerInfo(container: UUID(high: 1, low: 2), database: proof.database, contentType: "x")
    #expect(throws: ContainerError.badInfo(.noProof, path: "p")) { try parse(bare.text) }
    let other = ContainerInfo(
      container: UUID(high: 1, low: 2), database: proof.database, contentType: "y", proof: proof)
    #expect(throws: ContainerError.badInfo(.noProof, path: "p")) { try parse(other.text) }
    // One of version 4 has none, one of any other version is none.
    let random = ContainerInfo(
      container: UUID(high: 1, low: 2), database: Specimen.info.database, contentType: "x", proof: proof)
    #expect(throws: ContainerError.badInfo(.noProof, path: "p")) { try parse(random.text) }
    let odd = ContainerInfo(container: UUID(high: 1, low: 2), database: UUID(high: 3, low: 4), contentType: "x")
    #expect(throws: ContainerError.badInfo(.noProof, path: "p")) { try parse(odd.text) }
  }

  @Test func malformedProofIsRefused() throws {
    let text = ContainerInfo(
      container: UUID(high: 1, low: 2), database: try proof(7).database, contentType: "x", proof: try proof(7)
    ).text
    let (founder, first) = (Hex.text(try proof(7).founder), String(repeating: "ab", count: 32))
    for (a, b) in [
      (founder, founder.uppercased()), (founder, String(founder.dropLast())),
      (founder, String(repeating: "0", count: 64)),
      ("\"\(first)\"", "true"), (first, first.uppercased()), (first, String(first.dropLast())),
      (first, String(repeating: "0", count: 64)), ("\"sealed\":\"\(first)\",", ""), ("\"members\":true,", ""),
    ] {
      #expect(throws: ContainerError.self) { try parse(text.replacing(a, with: b)) }
    }
  }

  @Test func unknownMembersAreIgnored() throws {
    let more = #" "x" : [ 1, -2.5e+3, true, false, null, {"y":{}}, [] , "\u00e9\ud83d\ude00\/" ], "z":{"sea":4},"#
    let type = #""contentType":"org.example.birds""#
    #expect(try parse("\t{\(more)\(rest),\"sea\":4,\(type)}\r\n ") == Specimen.info)
    let escaped = #""contentType":"org.\u0065xample.birds""#
    #expect(try parse("{\"sea\":4,\(rest),\(escaped)}") == Specimen.info)
  }

  @Test func invalidInfoIsReportedWithFault() {
    let cases: [(String, InfoFault)] = [
      ("", .notJSON), ("[]", .notJSON), ("{", .notJSON), ("{}x", .notJSON), (#"{"a":01}"#, .notJSON),
      (#"{"a":1,}"#, .notJSON), (#"{"a":"\ud800"}"#, .notJSON), ("{\"a\":\"\n\"}", .notJSON), (#"{"a":nul}"#, .notJSON),
      (#"{"a":+1}"#, .notJSON), (#"{"a":"\x"}"#, .notJSON), (#"{"a":1 "b":2}"#, .notJSON),
      (String(repeating: #"{"a":"#, count: 10_000), .notJSON),
      (#"{"a":"# + String(repeating: "[", count: 10_000), .notJSON),
      (#"{"sea":4,"sea":4}"#, .duplicateMember), ("{}", .missingMember), (#"{"sea":4}"#, .missingMember),
      (#"{"sea":"1"}"#, .badMember), (#"{"sea":4.0}"#, .badMember), (#"{"sea":99999999999999999999}"#, .badMember),
      (#"{"sea":4,"containerID":"x"}"#, .badMember), (#"{"sea":4,"containerID":7}"#, .badMember),
      ("{\"sea\":4,\(rest)}", .missingMember), ("{\"sea\":4,\(rest),\"contentType\":\"x\",\"sealed\":1}", .noProof),
      (String(repeating: " ", count: ContainerInfo.largestFile) + "{}", .tooLong),
    ]
    for (text, fault) in cases {
      #expect(throws: ContainerError.badInfo(fault, path: "p"), "\(text.prefix(40))") { try parse(text) }
    }
    #expect(throws: ContainerError.badInfo(.notJSON, path: "p")) {
      try ContainerInfo([0x7B, 0x22, 0xFF, 0x22], path: "p")
    }
    for version: Int64 in [1, 3, 5] {
      #expect(throws: ContainerError.incompatible(version: version, path: "p")) { try parse("{\"sea\":\(version)}") }
    }
  }

  @Test func truncatedInfoIsRefused() throws {
    let bytes = Array(Specimen.info.text.utf8.dropLast())
    for count in 0..<bytes.count {
      #expect(throws: ContainerError.self) { try ContainerInfo(Array(bytes[..<count]), path: "p") }
    }
    #expect(try ContainerInfo(bytes, path: "p") == Specimen.info)
  }
}
