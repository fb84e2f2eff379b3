import SeaSystem
import SeaWords
import Testing

/// The layers and the size of the source files.
@Suite struct SourceTests {
  /// What each target may import: the table of docs/architecture.md.
  private static let imports: [String: Set<String>] = [
    "SeaSystem": ["Glibc", "CMagic"],
    // Memory and nothing else of the C library. (Swift is imported for its normalisation, which it does not export.)
    "SeaCore": ["COpenSSL", "CZstd", "Glibc.free", "Glibc.realloc", "Glibc.memchr", "Glibc.memcmp", "Swift"],
    "SeaStore": ["SeaCore", "SeaSystem", "CSQLite", "Synchronization"],
    "SeaContainer": ["SeaCore", "SeaSystem", "CArchive"],
    "SeaEngine": ["SeaCore", "SeaStore", "SeaContainer", "SeaSystem"],
    // The errors of the layers below, for their words.
    "SeaWords": [
      "SeaEngine", "SeaCore", "SeaSystem", "SeaStore.StoreError", "SeaStore.QueryFault", "SeaContainer.ContainerError",
      "SeaContainer.InfoFault", "SeaContainer.HelperFault", "SeaContainer.WireCode",
      "SeaContainer.SmallFileFault", "SeaContainer.AssetFileFault", "SeaContainer.BundleError",
    ],
    "SeaKitFoundation": ["SeaKit", "Foundation"],
    "SeaKit": [
      "Observation",
      "SeaWords", "SeaEngine", "SeaCore", "SeaSystem", "SeaContainer.BundleCompression", "SeaContainer.BundleManifest",
      "SeaContainer.BundleSource", "SeaContainer.Container",
      // The line of helpers, for containers that programs bring.
      "SeaContainer.Helpers", "SeaContainer.ServerWire", "SeaContainer.Wire", "SeaContainer.WireCode",
      "SeaContainer.WireFile", "SeaContainer.WirePath", "SeaContainer.FolderServer", "SeaContainer.SmallFolder",
    ],
    "SeaContainerTesting": [
      "SeaKit", "SeaSystem", "SeaContainer.Helpers", "SeaContainer.HelperTrial",
    ],
    "SeaCommands": [
      "SeaWords", "SeaEngine", "SeaCore", "SeaSystem", "SeaContainer.BundleError", "SeaContainer.ContainerError",
      // Ends when the engine tells of bundles and containers in values of its own.
      "SeaContainer.AssetSource", "SeaContainer.BundleCompression", "SeaContainer.BundleManifest",
      "SeaContainer.BundleSource", "SeaContainer.Container", "SeaContainer.ContainerInfo",
    ],
    "sea": ["SeaCommands", "Glibc"],
    "SeaHTTP": ["SeaContainer", "SeaSystem", "CCurl"],
    "SeaS3": ["SeaHTTP", "SeaContainer", "SeaCore", "SeaSystem", "CExpat", "COpenSSL"],
    "sea-remote-s3": ["SeaHTTP", "SeaS3", "SeaSystem", "Glibc"],
  ]
  private static let mostLines = 300
  private static let mostCommandLines = 100
  private static let mostMethods = 40
  /// The types that may have more, and why.
  private static let manyMethods = [
    // A kind of container has a method for each of the promises of `Container` and `AssetSource`, forty.
    "SeaContainer.DirectoryContainer": 44, "SeaContainer.MemoryContainer": 46,
    // It has them too, and with them the talk with a program.
    "SeaContainer.HelperContainer": 78,
  ]

  /// The Swift files of a folder and of those in it.
  static func sources(_ folder: String) throws -> [String] {
    var found: [String] = []
    for entry in try Directory(Path.join(packageRoot, folder)).list().entries {
      let path = "\(folder)/\(entry.name)"
      if entry.kind == .directory { found += try sources(path) }
      if entry.name.hasSuffix(".swift") { found.append(path) }
    }
    return found
  }

  /// What is imported: a module, or `Module.symbol`.
  private func modules(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").drop {
        $0.hasPrefix("@") || ["public", "package", "internal"].contains($0)
      }
      guard words.first == "import", let last = words.last else { return nil }
      return String(last)
    }
  }

  @Test func importsKeepTheLayers() throws {
    var targets: Set<String> = []
    for path in try Self.sources("Sources") {
      let target = String(path.split(separator: "/")[1])
      targets.insert(target)
      let allowed = try #require(Self.imports[target], "\(target) is not in the table")
      for module in modules(try read(path)) {
        #expect(allowed.contains(module), "\(path) imports \(module)")
      }
    }
    #expect(targets == Set(Self.imports.keys))
  }

  /// A type with many methods has several things to do.
  @Test func typesHaveFewMethods() throws {
    var counts: [String: Int] = [:]
    for path in try Self.sources("Sources") {
      let target = String(path.split(separator: "/")[1])
      for (type, count) in SwiftMethods(try read(path)).counts { counts["\(target).\(type)", default: 0] += count }
    }
    #expect(counts.count > 500 && counts["SeaStore.Store"] ?? 0 > 20, "the sources are not read")
    for (type, count) in counts {
      let most = Self.manyMethods[type] ?? Self.mostMethods
      #expect(count <= most, "\(type) has \(count) methods")
    }
    for type in Self.manyMethods.keys {
      #expect(counts[type] ?? 0 > Self.mostMethods, "\(type) needs no number of its own any more")
    }
  }

  @Test func methodsAreCounted() {
    let source = """
      struct A: B { func one() { func inner() {} }; var two: Int { 2 }; class func three() {}; init() {} }
      extension A { func four() -> Int where T == A {} ; struct In { func five() {} } }
      func six() {}
      protocol P { func seven(); func eight() }
      extension A.In { func nine() { struct S { func ten() {} } } }
      """
    #expect(SwiftMethods(source).counts == ["A": 3, "A.In": 2, "A.In.S": 1, "P": 2])
  }

  @Test func architectureSaysTheLayers() throws {
    let table = try #require(
      PageTable.all(in: try read("docs/architecture.md")).first { $0.columns.first == "target" })
    #expect(table.rows.map { $0[0] }.sorted() == Self.imports.keys.sorted())
    for row in table.rows {
      let parts = row[2].split(separator: "; ", maxSplits: 1)
      let allowed = Self.imports[row[0]] ?? []
      #expect(
        Set(parts[0].split(separator: ", ").map(String.init)) == allowed.filter { !$0.contains(".") }, "\(row[0])")
      // Of some modules single names.
      let partial = Set(allowed.filter { $0.contains(".") }.map { $0.split(separator: ".")[0] })
      let told = parts.count > 1 ? Set(parts[1].split(separator: " ")) : []
      #expect(partial.isSubset(of: told) && partial.isEmpty == told.isEmpty, "\(row[0])")
    }
  }

  /// The optimizer of Swift 6.3.1 takes away what is stored in a variable if its bytes are all that is read of it.
  @Test func bytesAreThoseOfValues() throws {
    for path in try Self.sources("Sources") {
      #expect(!(try read(path)).contains("withUnsafeBytes(of: &"), "\(path) reads the bytes of a variable")
    }
  }

  /// Who looks for a text in another by what the compiler brings along has its engine for regular expressions in the program.
  @Test func textsAreFoundByOurOwn() throws {
    let words = [".firstRange(of:", ".ranges(of:", ".replacing(\"", ".contains(\"://", ".split(separator: \"; "]
    for path in try Self.sources("Sources") {
      let text = try read(path)
      for word in words { #expect(!text.contains(word), "\(path) has \(word)") }
    }
  }

  /// What is compiled for use cannot be looked into by `@testable`: tests see what is `package`.
  @Test func testsSeeWhatIsPackage() throws {
    for path in try Self.sources("Tests") {
      #expect(try !read(path).contains("\n@test" + "able "), "\(path)")
    }
  }

  @Test func filesAreShort() throws {
    for path in try Self.sources("Sources") + Self.sources("Tests") {
      let lines = try read(path).utf8.count { $0 == 0x0A }
      #expect(lines <= Self.mostLines, "\(path) has \(lines) lines")
      if path.hasPrefix("Sources/SeaCommands/"), path.hasSuffix("Command.swift") {
        #expect(lines <= Self.mostCommandLines, "\(path) has \(lines) lines")
      }
    }
  }
}
