import SeaEngine
import SeaSystem
import Testing

/// The layers of the source files.
@Suite struct SourceTests {
  /// What each target may import: the table of docs/folders.md.
  private static let imports: [String: Set<String>] = [
    "SeaSystem": ["Glibc", "CMagic"],
    // Memory and nothing else of the C library. (Swift is imported for its normalization, which it does not export.)
    "SeaCore": ["COpenSSL", "CZstd", "Glibc.free", "Glibc.realloc", "Glibc.memchr", "Glibc.memcmp", "Swift"],
    "SeaStore": ["Glibc.free", "Glibc.realloc", "SeaCore", "SeaSystem", "CSQLite", "Synchronization"],
    "SeaContainer": ["SeaCore", "SeaSystem", "CArchive"],
    "SeaEngine": ["SeaCore", "SeaStore", "SeaContainer", "SeaSystem"],
    "SeaKitFoundation": ["SeaKit", "Foundation"],
    "SeaKitLogging": ["SeaKit", "Logging"],
    "SeaKit": [
      "Observation",
      "SeaEngine", "SeaCore", "SeaSystem", "SeaContainer.BundleCompression", "SeaContainer.BundleManifest",
      "SeaContainer.BundleSource", "SeaContainer.Container",
      // The line of helpers, for containers that programs bring.
      "SeaContainer.Helpers", "SeaContainer.ServerWire", "SeaContainer.Wire", "SeaContainer.WireFile",
      "SeaContainer.WirePath", "SeaContainer.WireRefusal",
    ],
    "SeaContainerTesting": [
      "SeaKit", "SeaSystem", "SeaContainer.Helpers", "SeaContainer.HelperTrial",
    ],
    "SeaCommands": [
      "SeaEngine", "SeaCore", "SeaSystem", "SeaContainer.BundleError", "SeaContainer.ContainerError",
      // Ends when the engine tells of bundles and containers in values of its own.
      "SeaContainer.AssetSource", "SeaContainer.BundleCompression", "SeaContainer.BundleManifest",
      "SeaContainer.BundleSource", "SeaContainer.Container", "SeaContainer.ContainerInfo",
    ],
    "sea": ["SeaCommands", "Glibc"],
    "SeaHTTP": ["SeaContainer", "SeaSystem", "CCurl"],
    "SeaS3": ["SeaHTTP", "SeaContainer", "SeaCore", "SeaSystem", "CExpat", "COpenSSL"],
    "SeaXLSX": ["SeaCore", "SeaSystem", "CArchive", "CExpat", "Glibc"],
    "sea-read-xlsx": ["SeaXLSX", "SeaSystem", "Glibc"],
    "sea-remote-s3": ["SeaHTTP", "SeaS3", "SeaSystem", "Glibc"],
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

  @Test func targetsImportOnlyAllowedModules() throws {
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

  /// The pages of sea-studio are written as a program outside would write them.
  @Test func studioImportsOnlyTheLibrary() throws {
    for path in try Self.sources("Helpers/Sources/SeaStudio") {
      for module in modules(try read(path)) {
        #expect(["SeaKit", "Glibc", "Synchronization"].contains(module), "\(path) imports \(module)")
      }
    }
  }

  @Test func folderPageMatchesAllowedImports() throws {
    let table = try #require(
      PageTable.all(in: try read("docs/folders.md")).first { $0.columns.first == "target" })
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
  @Test func sourcesReadNoBytesOfVariables() throws {
    for path in try Self.sources("Sources") {
      #expect(!(try read(path)).contains("withUnsafeBytes(of: &"), "\(path) reads the bytes of a variable")
    }
  }

  /// Who looks for a text in another by what the compiler brings along has its engine for regular expressions in the program.
  @Test func sourcesUseNoStandardStringSearch() throws {
    let words = [".firstRange(of:", ".ranges(of:", ".replacing(\"", ".contains(\"://", ".split(separator: \"; "]
    for path in try Self.sources("Sources") {
      let text = try read(path)
      for word in words { #expect(!text.contains(word), "\(path) has \(word)") }
    }
  }

  /// What is compiled for use cannot be looked into by `@testable`: tests see what is `package`.
  @Test func testsUseNoTestableImports() throws {
    for path in try Self.sources("Tests") {
      #expect(try !read(path).contains("\n@test" + "able "), "\(path)")
    }
  }
}
