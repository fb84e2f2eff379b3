import SeaContainer
import SeaCore
import Testing

@Suite struct LayoutTests {
  @Test func blockPathsFollowFormat() {
    let known: [(UInt32, String)] = [
      (0, "1/0"), (999, "1/999"), (1000, "2/1/0"), (1003, "2/1/3"), (999_999, "2/999/999"), (1_000_000, "3/1/0/0"),
      (999_999_999, "3/999/999/999"), (1_000_000_000, "4/1/0/0/0"), (.max, "4/4/294/967/295"),
    ]
    for (index, path) in known {
      #expect(Layout.path(of: index) == path)
      #expect(Layout.index(ofPath: path) == index)
    }
  }

  @Test func everyIndexHasOnePath() {
    var generator = SplitMix(state: 1)
    for _ in 0..<20_000 {
      let index = UInt32(truncatingIfNeeded: generator.next() >> (generator.next() % 32))
      let path = Layout.path(of: index)
      #expect(Layout.index(ofPath: path) == index)
      let leaf = Layout.Leaf(containing: index)
      #expect(path == leaf.path + "/" + leaf.name(of: index))
      #expect(leaf.first <= index && index <= leaf.last)
      #expect(leaf.foldedPath == leaf.path + ".blocks")
    }
  }

  @Test func folderCoversItsIndexRange() {
    #expect(Layout.folder(ofPath: "1")?.range == 0...999)
    #expect(Layout.folder(ofPath: "2")?.range == 1000...999_999)
    #expect(Layout.folder(ofPath: "2/1")?.range == 1000...1999)
    #expect(Layout.folder(ofPath: "3/1")?.range == 1_000_000...1_999_999)
    #expect(Layout.folder(ofPath: "4")?.range == 1_000_000_000...UInt32.max)
    for path in ["", "0", "5", "1/1", "2/0", "2/1/3", "x", "1/", "2/1000"] {
      #expect(Layout.folder(ofPath: path) == nil, "\(path)")
    }
    var survey = BranchSurvey()
    survey.promise([2000...2999, 0...999])
    survey.promise([1000...999_999])
    #expect(survey.promised == [0...999, 1000...999_999])
    #expect(survey.promisedFolder(of: 2500) == 1000...999_999 && survey.promisedFolder(of: 1_000_000) == nil)
    #expect(survey.isPromised(0) && !BranchSurvey().isPromised(0))
  }

  @Test func invalidBlockPathsAreRefused() {
    let wrong = [
      "", "1", "1/", "/1/0", "0/0", "1/00", "1/01", "1/1000", "1/-1", "1/+1", "1/1 ", "2/0/5", "2/5", "1/1/1",
      "3/0/0/0",
      "5/1/0/0/0/0", "4/4/294/967/296", "4/5/0/0/0", "1/٣", "1/a", "1/0/", "2/1/3 (conflicted copy)", "2//3",
    ]
    for path in wrong { #expect(Layout.index(ofPath: path) == nil, "\(path)") }
  }

  @Test func noFolderHasMoreThanAThousandEntries() {
    for digits in 1...4 {
      var folder = Layout.Folder(digits: digits)
      while let place = folder {
        let entries = (0...1100).compactMap { place.entry($0) }
        if place.index == nil { #expect((1...1000).contains(entries.count)) } else { #expect(entries.isEmpty) }
        folder = entries.last
      }
    }
    #expect(Layout.Folder(digits: 0) == nil && Layout.Folder(digits: 5) == nil)
  }

  @Test func leafFoldersAreConsecutive() {
    var leaf: Layout.Leaf? = Layout.Leaf(containing: 0)
    #expect(leaf?.path == "1" && leaf?.last == 999)
    leaf = leaf?.next
    #expect(leaf?.path == "2/1" && leaf?.first == 1000)
    #expect(Layout.Leaf(containing: 999_999).next?.path == "3/1/0")
    let last = Layout.Leaf(containing: .max)
    #expect(last.first == 4_294_967_000 && last.last == .max && last.next == nil)
  }

  @Test func chainNamesRoundTrip() {
    let instance = UUID(high: 0x0123_4567_89AB_8DEF, low: 0x8000_0000_0000_0001)
    let text = "01234567-89ab-8def-8000-000000000001"
    #expect(BranchID(instance).description == text)
    let fork = "0000000a00000000ffffffffffffffff"
    let sibling = BranchID(instance, fork: ForkID(high: 0xA_0000_0000, low: .max))
    #expect(sibling.description == "\(text)~\(fork)" && sibling.tail == "~0000000a" && sibling.mainBranch.tail == "")
    #expect(BranchID(text) == BranchID(instance))
    #expect(BranchID("\(text)~\(fork)") == sibling)
    let digest = SHA256.hash([1, 2, 3])
    #expect(BranchID(instance, forkedAt: digest).description == text + "~" + digest.description.prefix(32))
    let wrong = [
      "", "~", text + "~", text + "~0000000a", "\(text)~\(fork.dropLast())", "\(text)~\(fork.uppercased())",
      "\(text)~\(fork)~", "\(text)~\(fork)0", text.uppercased(), " " + text,
    ]
    for name in wrong { #expect(BranchID(name) == nil, "\(name)") }
    let names = [
      nil, ForkID(high: 0, low: 0), ForkID(high: 0, low: 1), ForkID(high: 1, low: 0), ForkID(high: .max, low: .max),
    ]
    #expect(names.reversed().map { BranchID(instance, fork: $0) }.sorted().map(\.fork) == names)
  }
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
