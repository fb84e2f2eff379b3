import SeaCore
import Testing

import SeaEngine

/// Any instance can take a name or a short id, which must not change the meaning of existing ones.
struct InstanceNamesTests {
  private static let bob = UUID("11111111-1111-4111-8111-111111111111")!
  private static let eve = UUID("22222222-2222-4222-8222-222222222222")!
  private static let twin = UUID("11111111-3333-4333-8333-333333333333")!

  private func names(_ all: (UUID, String, Bool)...) -> InstanceNames {
    InstanceNames(all: all.map { InstanceNames.One(instance: $0.0, name: $0.1, isMember: $0.2) })
  }

  private func found(_ names: InstanceNames, _ text: String, own: UUID? = nil) -> Result<UUID, KitError> {
    do throws(KitError) { return .success(try names.instance(text, own: own)) } catch { return .failure(error) }
  }

  private func isAmbiguous(_ result: Result<UUID, KitError>) -> Bool {
    if case .failure(.ambiguousInstance) = result { true } else { false }
  }

  private func isMissing(_ result: Result<UUID, KitError>) -> Bool {
    if case .failure(.instanceNotFound) = result { true } else { false }
  }

  @Test func fullIDMatchesOnlyItsInstance() throws {
    let id = InstanceNamesTests.bob.description
    #expect(
      try names((InstanceNamesTests.eve, id, true), (InstanceNamesTests.bob, "bob", true)).instance(id)
        == InstanceNamesTests.bob)
    #expect(try names((InstanceNamesTests.bob, "bob", true)).instance(id.uppercased()) == InstanceNamesTests.bob)
    #expect(isMissing(found(names((InstanceNamesTests.eve, id, true)), id)))
  }

  @Test func shortIDTakesPrecedenceOverNames() throws {
    let short = String(InstanceNamesTests.bob.description.prefix(8))
    let both = names((InstanceNamesTests.eve, short, true), (InstanceNamesTests.bob, "bob", true))
    #expect(try both.instance(short) == InstanceNamesTests.bob)
    // Fewer digits than are usually shown could also be a name.
    let begun = names((InstanceNamesTests.eve, "1111", true), (InstanceNamesTests.bob, "bob", true))
    #expect(isAmbiguous(found(begun, "1111")))
    #expect(isMissing(found(begun, "111")))
  }

  @Test func strangersNeverWinOverMembers() throws {
    let world = names((InstanceNamesTests.eve, "bob", false), (InstanceNamesTests.bob, "bob", true))
    #expect(try world.instance("bob") == InstanceNamesTests.bob)
    let ground = names((InstanceNamesTests.twin, "x", false), (InstanceNamesTests.bob, "bob", true))
    #expect(try ground.instance("11111111") == InstanceNamesTests.bob)
    // Nor do they make the lookup fail.
    #expect(try names((InstanceNamesTests.twin, "x", false)).instance("11111111") == InstanceNamesTests.twin)
  }

  @Test func sharedNameIsAmbiguous() {
    #expect(
      isAmbiguous(found(names((InstanceNamesTests.eve, "bob", true), (InstanceNamesTests.bob, "bob", true)), "bob")))
    #expect(
      isAmbiguous(found(names((InstanceNamesTests.eve, "bob", false), (InstanceNamesTests.bob, "bob", false)), "bob")))
    #expect(isMissing(found(names((InstanceNamesTests.eve, "", true)), "")))
  }

  @Test func sharedNameMeansOwnInstance() throws {
    let world = names((InstanceNamesTests.eve, "bob", true), (InstanceNamesTests.bob, "bob", true))
    #expect(try world.instance("bob", own: InstanceNamesTests.bob) == InstanceNamesTests.bob)
  }

  /// A restored backup continues under another key with the name of the old one.
  @Test func sharedNameMeansLastSuccessor() throws {
    let (old, new, eve) = (InstanceNamesTests.bob, InstanceNamesTests.twin, InstanceNamesTests.eve)
    func lineMember(_ instance: UUID, isFollowed: Bool = false) -> InstanceNames.One {
      InstanceNames.One(instance: instance, name: "bob", isMember: true, line: old, isFollowed: isFollowed)
    }
    let line = [lineMember(old, isFollowed: true), lineMember(new)]
    #expect(try InstanceNames(all: line).instance("bob") == new)
    #expect(try InstanceNames(all: line).instance(old.description) == old)
    // Two successors, or another instance with the same name.
    #expect(isAmbiguous(found(InstanceNames(all: line + [lineMember(eve)]), "bob")))
    let other = InstanceNames.One(instance: eve, name: "bob", isMember: true, line: eve)
    #expect(isAmbiguous(found(InstanceNames(all: line + [other]), "bob")))
    // If the successor has another name, the old name still works.
    #expect(try InstanceNames(all: [lineMember(old, isFollowed: true)]).instance("bob") == old)
  }
}
