import SeaCore
import SeaEngine
import SeaTestSupport
import Testing
import SeaStore

@Suite struct ConflictTests {
  private func paths(_ conflict: Conflict?) -> [String] {
    conflict?.paths.map { "\($0.state == .clash ? "!" : "=")\($0.pointer)" } ?? []
  }

  @Test func conflictReportsKindBaseAndPaths() throws {
    let group = try TestGroup()
    let base = try group[0].put(#"{"_id":"edit","_type":"t","a":1}"#)
    try group[0].put(#"{"_id":"gone","_type":"t","a":1,"b":1}"#)
    try group[0].put(#"{"_id":"type","_type":"t","a":1}"#)
    try group.exchange()
    for k in 0...1 {
      try group[k].put(#"{"_id":"edit","_type":"t","a":\#(k + 2)}"#)
      try group[k].put(#"{"_id":"twice","_type":"t","a":\#(k)}"#)
      try group[k].put(#"{"_id":"type","_type":"t\#(k)","a":1}"#)
    }
    let deletion = try group[0].delete("gone")
    let edit = try group[1].put(#"{"_id":"gone","_type":"t","a":1,"b":2}"#)
    try group.exchange()
    for one in group.instances {
      let conflict = try #require(try one.conflict("edit"))
      #expect(conflict.kind == .edit)
      #expect(conflict.base?.leaf.revision == base)
      #expect(paths(conflict) == ["!/a"])
      #expect(try one.conflict("twice")?.kind == .addition)
      #expect(try one.conflict("twice")?.base == nil)
      #expect(try one.conflict("type")?.kind == .type)
      let lost = try #require(try one.conflict("gone"))
      #expect(lost.kind == .deletion)
      #expect(lost.sides.map(\.leaf.revision) == [edit, deletion])
      #expect(paths(lost) == ["!/b"])
      #expect(try one.conflicts.ids() == ["edit", "gone", "twice", "type"])
      #expect(try one.conflicts.ids(type: "t") == ["edit", "gone", "twice"])
    }
  }

  @Test func sequentialEditsDoNotConflict() throws {
    let group = try TestGroup()
    try group[0].put(#"{"_id":"x","a":1}"#)
    try group.exchange()
    try group[1].put(#"{"_id":"x","a":2}"#)
    try group.exchange()
    try group[0].put(#"{"_id":"x","a":3}"#)
    try group.exchange()
    #expect(try group[1].conflict("x") == nil)
    #expect(try group[1].json("x") == #"{"a":3}"#)
  }

  @Test func sameEditOnBothSidesDoesNotConflict() throws {
    let group = try TestGroup()
    try group[0].put(#"{"_id":"x","a":1}"#)
    try group.exchange()
    let revisions = try group.instances.map { try $0.put(#"{"_id":"x","a":2}"#) }
    try group.exchange()
    #expect(revisions[0] == revisions[1])
    #expect(try group[0].conflict("x") == nil)
  }

  @Test func onlyPropertiesChangedDifferentlyConflict() throws {
    let group = try TestGroup()
    try group[0].put(#"{"_id":"x","here":1,"there":1,"same":1,"clash":1,"gone":1,"still":1,"drop":1}"#)
    try group.exchange()
    try group[0].put(#"{"_id":"x","here":2,"there":1,"same":2,"clash":2,"still":1,"new":1,"drop":2}"#)
    try group[1].put(#"{"_id":"x","here":1,"there":2,"same":2,"clash":3,"gone":1,"still":1}"#)
    try group.exchange()
    let conflict = try #require(try group[0].conflict("x"))
    #expect(paths(conflict) == ["=/new", "!/drop", "=/gone", "=/here", "!/clash", "=/there"])
    var merged: [String: String] = [:]
    for path in conflict.paths where path.state == .merges {
      merged[path.path.names[0]] = try path.merged?.json() ?? "-"
    }
    #expect(merged == ["new": "1", "gone": "-", "here": "2", "there": "2"])
  }

  @Test func countersAndSetsMerge() throws {
    let group = try TestGroup()
    let first = #"{"_id":"x","n":{"$counter":2},"s":{"$set":["a","b"]},"quiet":{"$set":["q"]}}"#
    try group[0].put(first)
    try group.exchange()
    try group[0].put(#"{"_id":"x","n":{"$counter":4},"s":{"$set":["b","c"]},"quiet":{"$set":["q"]}}"#)
    try group[1].put(#"{"_id":"x","n":{"$counter":1},"s":{"$set":["a","b","d"]},"quiet":{"$set":["q","r"]}}"#)
    try group.exchange()
    for one in group.instances {
      let conflict = try #require(try one.conflict("x"))
      #expect(paths(conflict) == ["=/n", "=/s", "=/quiet"])
      #expect(
        try conflict.paths.map { try $0.merged?.json() } == [
          #"{"$counter":3}"#, #"{"$set":["b","c","d"]}"#, #"{"$set":["q","r"]}"#,
        ])
    }
  }

  /// A side that left a set unchanged counts as unchanged, although its bytes now name the parent.
  @Test func setReplacedByTextOnOneSideMerges() throws {
    let group = try TestGroup()
    try group[0].put(#"{"_id":"x","s":{"$set":["a"]},"k":1}"#)
    try group.exchange()
    try group[0].put(#"{"_id":"x","s":"text","k":1}"#)
    try group[1].put(#"{"_id":"x","s":{"$set":["a"]},"k":2}"#)
    try group.exchange()
    #expect(paths(try group[0].conflict("x")) == ["=/k", "=/s"])
  }

  @Test func oursAndTheirsNameLeafRevisions() throws {
    let group = try TestGroup(3)
    try group[0].put(#"{"_id":"x","a":1}"#)
    try group.exchange()
    let edit = try group[0].put(#"{"_id":"x","a":2}"#)
    let deletion = try group[1].delete("x")
    try group.exchange()
    func names(_ k: Int, _ name: String) throws -> RevisionID {
      try group[k].records.revision(name, of: group[k].records.find("x")).revision
    }
    #expect(try names(0, "ours") == edit)
    #expect(try names(0, "theirs") == deletion)
    #expect(try names(1, "ours") == deletion)
    #expect(try names(1, "theirs") == edit)
    #expect(throws: KitError.revisionNotFound(id: "x", revision: "ours")) { try names(2, "ours") }
    #expect(throws: KitError.ambiguousRevision(id: "x", revision: "@theirs")) { try names(2, "theirs") }
  }
}
