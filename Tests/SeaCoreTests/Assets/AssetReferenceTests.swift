import SeaCore
import SeaTestSupport
import Testing

/// What references to assets say of files, and finding them in bodies.
@Suite struct AssetReferenceTests {
  private let id = "0f0e0d0c-0b0a-8908-8706-050403020100"
  private let digest = String(repeating: "ab", count: 32)

  @Test func extentsAreReadAsWritten() throws {
    for text in ["\(id)/0", "\(id)/4294967295", "\(id)/1-2", "\(id)/0-4294967295"] {
      #expect(AssetExtent(text)?.description == text)
    }
    for text in [
      "", id, "\(id)/", "\(id)/01", "\(id)/-1", "\(id)/1-1", "\(id)/2-1", "\(id)/1-", "\(id)/1-2-3", "\(id)/4294967296",
      "\(id.uppercased())/0", "\(id)/0 ", " \(id)/0", "\(id)/+1", "\(id) /1",
    ] { #expect(AssetExtent(text) == nil, "\(text)") }
    let run = try #require(AssetExtent("\(id)/7-9"))
    #expect(run.places.map(\.index) == [7, 8, 9] && run.count == 3)
    #expect(run.places.allSatisfy(run.contains))
    #expect(!run.contains(AssetPlace(instance: run.instance, index: 10)))
  }

  @Test func sizeDeterminesNumberOfFiles() throws {
    let giga: Int64 = 1 << 30
    let instance = try #require(UUID(id))
    let piece: Int64 = 1 << 24
    for (size, count) in [(0, 1), (1, 1), (piece, 1)] as [(Int64, UInt32)] {
      let run = AssetExtent(instance, 3, 2 + count)
      #expect(run.fits(size) && run.list(ofSize: size) == nil && run.clearSize(at: run.start, of: size) == size)
      #expect(!AssetExtent(instance, 3, 3 + count).fits(size))
    }
    for (size, count, list, last) in [
      (piece + 1, 2, 64, piece + 1), (2 * piece, 2, 64, 2 * piece), (giga, 2, 2048, giga), (giga + 1, 3, 2080, 1),
      (2 * giga, 3, 4096, giga), (5 * giga - 1, 6, 10240, giga - 1), (1 << 44, 16385, 1 << 25, giga),
    ] as [(Int64, UInt32, Int64, Int64)] {
      let run = AssetExtent(instance, 3, 2 + count)
      #expect(run.fits(size) && run.list(ofSize: size) == run.start && run.firstContent(ofSize: size) == 4)
      #expect(!AssetExtent(instance, 3, 3 + count).fits(size) && !AssetExtent(instance, 3, 1 + count).fits(size))
      let places = Array(run.places)
      #expect(run.clearSize(at: run.start, of: size) == list)
      #expect(run.clearSize(at: places.last!, of: size) == last)
      #expect(places.dropFirst().dropLast().allSatisfy { run.clearSize(at: $0, of: size) == giga })
    }
    #expect(!AssetExtent(instance, 0, .max).fits(1) && !AssetExtent(instance, 0, 0).fits(-1))
  }

  private func assets(_ json: String) throws -> [AssetReference] {
    let value = try Value.json(json)
    var writer = ByteWriter()
    _ = try value.encodeBody(into: &writer)
    return BodyAssets.all(in: Array(writer.bytes))
  }

  private func asset(_ index: Int) -> String {
    #"{"mime":"a/b","size":\#(index),"$asset":"\#(id)/\#(index)","sha256":"\#(digest)"}"#
  }

  @Test func assetsAreFoundAtAnyDepth() throws {
    let found = try assets(
      #"{"a":\#(asset(1)),"b":[[\#(asset(2))],{"c":{"d":\#(asset(3))}}],"z":\#(asset(1))}"#)
    #expect(found.map(\.size).sorted() == [1, 1, 2, 3])
    #expect(found.allSatisfy { $0.mime == "a/b" && $0.digest == Digest(hex: digest) && $0.extent?.count == 1 })
    // Inside `$dict` keys mean nothing but themselves; text is text.
    #expect(try assets(#"{"a":{"$dict":\#(asset(1))},"b":"$asset","c":{"x":"$asset"}}"#).isEmpty)
    #expect(BodyAssets.all(in: []).isEmpty && BodyAssets.all(in: [0xFF, 0x00]).isEmpty)
  }
}
