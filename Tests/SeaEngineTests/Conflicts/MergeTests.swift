import SeaCore
import SeaEngine
import SeaTestSupport
import Testing
import SeaStore

/// Automatic merging of records that several instances changed.
@Suite struct MergeTests {
  private func json(_ database: Database, _ id: String = "x") throws -> String? { try database.get(id) }

  private func divided(_ edits: [String], from first: String = #"{"_id":"x","a":0,"b":0,"c":0}"#) throws -> TestGroup {
    let group = try TestGroup(edits.count)
    try group[0].put(first)
    try group.exchange()
    for (k, edit) in edits.enumerated() { try group[k].put(edit) }
    return group
  }

  @Test func differentPropertiesMergeAlikeEverywhere() throws {
    let group = try divided([
      #"{"_id":"x","a":1,"b":0,"c":0}"#, #"{"_id":"x","a":0,"b":2,"c":0}"#, #"{"_id":"x","a":0,"b":0,"c":3}"#,
    ])
    try group.exchange(merging: true)
    let all = try group.instances.map { try json($0) }
    #expect(Set(all).count == 1)
    #expect(all[0]?.contains(#""a":1,"b":2,"c":3"#) == true)
    #expect(all[0]?.contains("_conflicts") == false)
  }

  @Test func conflictingPropertyPreventsMergeAndIsReported() throws {
    let group = try divided([#"{"_id":"x","a":1,"b":1,"c":0}"#, #"{"_id":"x","a":2,"b":0,"c":2}"#])
    try group.exchange(merging: true)
    for one in group.instances {
      let conflict = try #require(try one.conflict("x"))
      #expect(conflict.clashes.map(\.pointer) == ["/a"])
      #expect(conflict.paths.map(\.pointer) == ["/a", "/b", "/c"])
      #expect(try one.store.branches.chain(one.instance)?.head.index ?? 9 < 3)
    }
  }

  @Test func sharedPolicySettlesConflictAlikeEverywhere() throws {
    let group = try divided([#"{"_id":"x","_type":"t","a":1}"#, #"{"_id":"x","_type":"t","a":2}"#])
    _ = try group[0].sharedSettings.set(#require(ConfigKey("merge.t.policy")), "/a=max")
    try group.exchange(merging: true)
    for one in group.instances {
      #expect(try one.conflict("x") == nil)
      #expect(try json(one)?.contains(#""a":2"#) == true)
    }
    #expect(try json(group[0]) == json(group[1]))
  }

  @Test func countersAndSetsCombineAllLeafRevisions() throws {
    let first = #"{"_id":"x","n":{"$counter":2},"tags":{"$set":["song"]},"a":0}"#
    let group = try divided(
      [
        #"{"_id":"x","n":{"$counter":4},"tags":{"$set":["song","nest"]},"a":1}"#,
        #"{"_id":"x","n":{"$counter":3},"tags":{"$set":["egg"]},"a":2}"#,
      ], from: first)
    try group.exchange(merging: true)
    for one in group.instances {
      #expect(try one.conflict("x")?.clashes.map(\.pointer) == ["/a"])
      let text = try #require(try json(one))
      #expect(text.contains(#""n":{"$counter":5}"#), "\(text)")
      #expect(text.contains(#""tags":{"$set":["egg","nest"]}"#), "\(text)")
    }
    // A user counts on from the visible value.
    let shown = try #require(try json(group[0])).replacing(#""$counter":5"#, with: #""$counter":6"#)
    try group[0].put(shown)
    try group.exchange(merging: true)
    for one in group.instances { #expect(try json(one)?.contains(#""n":{"$counter":6}"#) == true) }
  }

  @Test func nothingIsMergedWhileMergingIsOff() throws {
    let group = try divided([#"{"_id":"x","a":1,"b":0,"c":0}"#, #"{"_id":"x","a":0,"b":2,"c":0}"#])
    _ = try group[0].sharedSettings.set(#require(ConfigKey("merge.auto")), "off")
    try group.exchange(merging: true)
    #expect(try group[0].conflict("x") != nil)
    // After merging is enabled again, the remaining conflicts are merged.
    _ = try group[1].sharedSettings.set(#require(ConfigKey("merge.auto")), nil)
    try group.exchange(merging: true)
    for one in group.instances { #expect(try one.conflict("x") == nil) }
  }

  @Test func leafRevisionsBeyondMergeLimitAreMerged() throws {
    let count = Change.mostMerged + 3
    let edits = (0..<count).map { #"{"_id":"x","p\#($0)":1}"# }
    let group = try TestGroup(count)
    // The records were made independently, without common properties.
    for (k, edit) in edits.enumerated() { try group[k].put(edit) }
    for k in (0..<count).reversed() { try group.exchange([k]) }
    try group.exchange([1])
    #expect(try group[0].conflict("x")?.sides.count == Change.mostMerged + 1)
    try group.exchange([0, 1], merging: true)
    for one in group.instances[..<2] {
      #expect(try one.conflict("x") == nil)
      let text = try #require(try json(one))
      for k in 0..<count { #expect(text.contains(#""p\#(k)":1"#)) }
    }
    #expect(try json(group[0]) == json(group[1]))
  }

  @Test(.plainAndSealed) func mergeProgramRunsOncePerChange() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    try one.sharedSettings.set(#require(ConfigKey("merge.t.policy")), "/b=max")
    try world.attach("c", to: one)
    try one.put(#"{"_id":"x","_type":"t","a":0,"b":0}"#)
    try one.put(#"{"_id":"y","_type":"u","a":0,"b":0}"#)
    _ = try one.sync(one.containers.setting("c"), .both)
    var calls = 0
    var settings = world.settings
    settings.config = {
      Config(
        below: [("merge.auto", "drivers"), ("merge.t.driver", "/a=sum")].map {
          Config.Entry(key: ConfigKey($0)!, value: $1, origin: ConfigOrigin(.global))
        })
    }
    var answers = true
    world.settings = settings
    let two = try world.instance("two")
    two.conflicts.mergeProgram = { name, conflict, content, paths in
      calls += 1
      #expect(name == "sum" && paths.map(\.pointer) == ["/a"] && conflict.id == "x")
      return answers ? try content.replacing(paths[0].path, with: .integer(5)) : nil
    }
    try world.attach("c", to: two)
    _ = try two.sync(two.containers.setting("c"), .both)
    for id in ["x", "y"] {
      let type = id == "x" ? "t" : "u"
      try one.put(#"{"_id":"\#(id)","_type":"\#(type)","a":2,"b":2}"#)
      try two.put(#"{"_id":"\#(id)","_type":"\#(type)","a":3,"b":1}"#)
    }
    _ = try one.sync(one.containers.setting("c"), .both)
    answers = false
    #expect(try two.sync(two.containers.setting("c"), .both).merged.isEmpty && calls == 1)
    // Without news, the merge program is not called again.
    #expect(try two.sync(two.containers.setting("c"), .both).merged.isEmpty && calls == 1)
    answers = true
    try two.put(#"{"_id":"x","_type":"t","a":4,"b":1}"#)
    let merged = try two.sync(two.containers.setting("c"), .both).merged
    #expect(merged.map(\.id) == ["x"] && merged.first?.how == .program("sum") && calls == 2)
    #expect(try two.get("x")?.contains(#""a":5"#) == true)
    #expect(try two.conflicts.ids() == ["y"])
    _ = try one.sync(one.containers.setting("c"), .both)
    #expect(try one.get("x") == two.get("x"))
  }
}
