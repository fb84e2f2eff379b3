import SeaEngine
import Testing

struct AssetFilterTests {
  private func matches(_ text: String, size: Int64 = 1000, mime: String = "image/jpeg", types: [String] = ["bird"])
    -> Bool?
  {
    AssetFilter(text)?.matches(size: size, mime: mime, types: types)
  }

  @Test func allMatchesEverythingAndNoneNothing() {
    #expect(matches("all") == true)
    #expect(matches("none") == false)
    #expect(AssetFilter("all")?.isAll == true)
    #expect(AssetFilter("none")?.isAll == false)
  }

  @Test func sizeLimitsAreInclusive() {
    #expect(matches("max-size=1000") == true)
    #expect(matches("max-size=999") == false)
    #expect(matches("min-size=1000") == true)
    #expect(matches("min-size=1001") == false)
    #expect(matches("min-size=1K,max-size=2K", size: 1500) == true)
    #expect(matches("min-size=1K,max-size=2K", size: 2049) == false)
    #expect(matches("max-size=0", size: 0) == true)
  }

  @Test(arguments: [
    ("image/*", "image/jpeg", true), ("image/*", "video/mp4", false), ("*", "", true),
    ("IMAGE/Jpeg", "image/jpeg", true), ("*/jpeg", "image/jpeg", true), ("*/jp*g", "image/jpeg", true),
    ("i*e*g", "image/jpeg", true),
    ("image/jpeg*", "image/jpeg", true), ("image/jpe", "image/jpeg", false), ("image/jpegs", "image/jpeg", false),
    ("*a*b", "aab", true), ("*a*b", "aba", false), ("**", "x", true), ("*ab", "aab", true),
  ])
  func mimePatternMatchesWildcardsAndIgnoresCase(_ pattern: String, _ mime: String, _ fits: Bool) {
    #expect(matches("mime=\(pattern)", mime: mime) == fits)
  }

  /// A pattern from another user's configuration must not take long.
  @Test func pathologicalPatternIsMatchedQuickly() {
    let pattern = String(repeating: "a*", count: 100) + "b"
    #expect(matches("mime=\(pattern)", mime: String(repeating: "a", count: 5000)) == false)
  }

  @Test func oneConditionOfEachKindMustMatch() {
    #expect(matches("mime=video/*,mime=image/*") == true)
    #expect(matches("mime=video/*,mime=audio/*") == false)
    #expect(matches("type=tree,type=bird") == true)
    #expect(matches("type=tree") == false)
    #expect(matches("type=bird", types: ["tree", "bird"]) == true)
    #expect(matches("type=bird", types: []) == false)
    #expect(matches("type=bird,mime=video/*") == false)
  }

  /// Two texts that look alike are different types.
  @Test func typesAreComparedByTheirBytes() {
    #expect(matches("type=caf\u{E9}", types: ["cafe\u{301}"]) == false)
  }

  @Test(arguments: [
    "", "ALL", "all,max-size=1", "max-size", "max-size=", "max-size=x", "max-size=-1", "max-size=1,max-size=2",
    "size=1", "mime=", "type=", "type=a,", ",type=a", "type=a,,type=b", "max-size=9999999999T",
  ])
  func invalidFilterIsRefused(_ text: String) {
    #expect(AssetFilter(text) == nil)
  }
}
