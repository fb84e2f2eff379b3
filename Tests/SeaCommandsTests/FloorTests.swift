import SeaSystem
import Testing

/// The folders of a target are a directed graph, downwards only.
@Suite struct FloorTests {
  @Test(arguments: FloorPlan.all) func foldersUseOnlyLowerFolders(plan: FloorPlan) throws {
    var lower: Set<String> = []
    for (folder, below) in plan.floors {
      #expect(below.isSubset(of: lower), "\(plan.target)/\(folder) stands on what is not below it")
      lower.insert(folder)
    }
    let sources = try SourceTests.sources("Sources/\(plan.target)").map { path in
      let parts = path.split(separator: "/")
      return SwiftSource(folder: parts.count > 3 ? String(parts[2]) : ".", path: path, text: try read(path))
    }
    #expect(Set(sources.map(\.folder)) == lower, "the folders of \(plan.target) are not those of its plan")

    let below = Dictionary(uniqueKeysWithValues: plan.floors)
    var used: [String: Set<String>] = [:]
    for (source, name, homes) in Self.mentions(sources) {
      let allowed = homes.intersection(below[source.folder, default: []])
      used[source.folder, default: []].formUnion(allowed)
      #expect(!allowed.isEmpty, "\(source.path) mentions \(name) of \(homes.sorted().joined(separator: ", "))")
    }
    for (folder, below) in plan.floors {
      let unused = below.subtracting(used[folder, default: []]).sorted()
      #expect(unused.isEmpty, "\(plan.target)/\(folder) does not mention \(unused)")
    }
  }

  /// docs/folders.md has a table for each plan: the folders, and the folders that each uses directly.
  @Test(arguments: FloorPlan.all) func folderPageMatchesPlan(plan: FloorPlan) throws {
    let folders = plan.floors.map(\.folder)
    let tables = PageTable.all(in: try read("docs/folders.md"))
    let table = try #require(
      tables.first { $0.columns.last == "uses" && Set($0.rows.map { $0[0] }) == Set(folders) },
      "no table has the folders of \(plan.target)")
    var closure: [String: Set<String>] = [:]
    for row in table.rows {
      let below = row.last == "all" ? Set(closure.keys) : Set(row.last!.split(separator: ", ").map(String.init))
      closure[row[0]] = below.reduce(below) { $0.union(closure[$1] ?? []) }
      let planned = plan.floors.first { $0.folder == row[0] }?.below ?? []
      #expect(planned.isSubset(of: closure[row[0]]!), "\(plan.target)/\(row[0]) stands on \(planned.sorted())")
      if row.last != "all" {
        #expect(below.isSubset(of: planned), "\(plan.target)/\(row[0]) does not stand on \(below.sorted())")
      }
    }
    #expect(table.rows.count == folders.count)
  }

  /// Members of extensions that types of the standard library have too.
  private static let standard: Set<String> = [
    "append", "contains", "count", "description", "filter", "first", "hash", "index", "isEmpty", "last", "map",
    "prefix",
    "reduce", "remove", "sorted", "suffix", "write",
  ]

  /// What files mention of other folders, and which these may be: the folders that declare the name, if their own does
  /// not. A name that has another meaning in the file is nobody else's; of the members of extensions those are looked
  /// for whose type another folder or another target declares, as the others are not to be had without their type.
  private static func mentions(_ sources: [SwiftSource]) -> [(SwiftSource, name: String, homes: Set<String>)] {
    var homes: [String: Set<String>] = [:]
    for source in sources { for name in source.declared { homes[name, default: []].insert(source.folder) } }
    var members: [String: Set<String>] = [:]
    for source in sources {
      for member in source.extended
      where homes[member.type]?.contains(source.folder) != true && !standard.contains(member.name) {
        members[member.name, default: []].insert(source.folder)
      }
    }
    for source in sources { for name in source.own where members[name] != nil { members[name]?.insert(source.folder) } }
    var found: [(SwiftSource, String, Set<String>)] = []
    for source in sources {
      for name in source.mentioned.subtracting(source.own) {
        if let homes = homes[name], !homes.contains(source.folder) { found.append((source, name, homes)) }
      }
      for name in source.reached.subtracting(source.own) {
        if let homes = members[name], !homes.contains(source.folder) { found.append((source, name, homes)) }
      }
    }
    return found
  }
}

/// That the plan is held at all: what the reader of sources finds in a small one.
@Suite struct SwiftSourceTests {
  private let source = SwiftSource(
    folder: "A", path: "A/a.swift",
    text: """
      /// Not.This
      package struct Own { private let inner: [Low: Int]; struct Nested {} }
      private func hidden(label: [Place: Int]) {}
      extension Low { package var more: Int { other.far("text \\(Deep.x)") } }
      """)

  @Test func declaredNamesAreFound() {
    #expect(source.declared == ["Own"])
    #expect(source.extended == [SwiftSource.Member(type: "Low", name: "more")])
    #expect(source.own.isSuperset(of: ["Own", "Nested", "hidden", "label", "inner", "more"]))
    #expect(!source.own.contains("Place"))
  }

  @Test func mentionedNamesAreFound() {
    #expect(source.mentioned.isSuperset(of: ["Low", "Int", "other", "Deep"]))
    #expect(source.reached == ["far", "x"])
    #expect(!source.mentioned.contains("Not") && !source.mentioned.contains("text"))
  }
}
