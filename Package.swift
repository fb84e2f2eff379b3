// swift-tools-version: 6.2
import Foundation
import PackageDescription

// What small commands need lies together in the program: Benchmarks/order.py says why, and writes the list. The linker that
// can do that comes with the toolchain; with another one the program is the same, and starts a little slower.
let tools = (Context.environment["PATH"] ?? "").split(separator: ":")
let canOrder = tools.contains { FileManager.default.isExecutableFile(atPath: "\($0)/ld.lld") }
let order = [
  "-use-ld=lld", "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/Sources/sea/order.txt", "-Xlinker",
  "--no-warn-symbol-ordering",
]

// A program that is not static for all that: it carries the library of Swift with it, and nothing that it does not use.
let swiftcStatic: [SwiftSetting] = [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]
let linkerStatic: [LinkerSetting] = [
  .unsafeFlags(
    ["-static-stdlib", "-Xlinker", "--gc-sections", "-Xlinker", "--as-needed", "-Xlinker", "-s"],
    .when(configuration: .release))
]

// Programs with an event loop and HTTP. What they need is fetched and compiled only if this asks for it, so that building
// `sea` waits for none of it; what both need is compiled once for both.
let hasHelpers = Context.environment["SEA_HELPERS"] == "1"

// A target exists because something is forbidden in it: see docs/folders.md.
// `make test` holds the imports of every source file against this table.

let package = Package(
  name: "sea",
  products: [
    .library(name: "SeaKit", targets: ["SeaKit"]),
    .library(name: "SeaKitFoundation", targets: ["SeaKitFoundation"]),
    .library(name: "SeaKitLogging", targets: ["SeaKitLogging"]),
    .library(name: "SeaContainerTesting", targets: ["SeaContainerTesting"]),
    .executable(name: "sea", targets: ["sea"]),
    .executable(name: "sea-remote-s3", targets: ["sea-remote-s3"]),
    .executable(name: "sea-read-xlsx", targets: ["sea-read-xlsx"]),
  ],
  traits: [.trait(name: "Logging", description: "SeaKitLogging, which sends messages of databases to swift-log")],
  dependencies: [
    // Fetched only with the trait.
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0")
  ],
  targets: [
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CMagic", pkgConfig: "libmagic", providers: [.apt(["libmagic-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .target(name: "SeaSystem", dependencies: ["CMagic"]),
    .target(name: "SeaCore", dependencies: ["COpenSSL", "CZstd"]),
    .target(name: "SeaStore", dependencies: ["SeaCore", "SeaSystem", "CSQLite"]),
    .target(name: "SeaContainer", dependencies: ["SeaCore", "SeaSystem", "CArchive"]),
    .target(name: "SeaEngine", dependencies: ["SeaCore", "SeaStore", "SeaContainer", "SeaSystem"]),
    .target(name: "SeaKit", dependencies: ["SeaEngine", "SeaContainer", "SeaCore", "SeaSystem"]),
    .target(name: "SeaKitFoundation", dependencies: ["SeaKit"]),
    .target(
      name: "SeaKitLogging",
      dependencies: [
        "SeaKit", .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
      ]),
    .target(name: "SeaContainerTesting", dependencies: ["SeaKit", "SeaContainer", "SeaSystem"]),
    .target(name: "SeaCommands", dependencies: ["SeaEngine", "SeaCore", "SeaSystem"]),
    .executableTarget(
      name: "sea", dependencies: ["SeaCommands"], exclude: ["order.txt"],
      swiftSettings: [.unsafeFlags(["-static-executable"], .when(configuration: .release))],
      linkerSettings: [
        .unsafeFlags(
          ["-static-executable", "-Xlinker", "--gc-sections", "-Xlinker", "-s"] + (canOrder ? order : []),
          .when(configuration: .release))
      ]),
    // Programs that use the library: Examples/README.md.
    .executableTarget(name: "example-first", dependencies: ["SeaKit"], path: "Examples/first"),
    .executableTarget(name: "example-todo", dependencies: ["SeaKit"], path: "Examples/todo"),
    .executableTarget(name: "example-sensor", dependencies: ["SeaKit"], path: "Examples/sensor"),
    .executableTarget(name: "example-chat", dependencies: ["SeaKit"], path: "Examples/chat"),
    .executableTarget(name: "example-recipes", dependencies: ["SeaKit", "CSQLite"], path: "Examples/recipes"),
    .executableTarget(name: "bench-kit", dependencies: ["SeaKit", "CSQLite"], path: "Benchmarks/kit"),
    // HTTP over libcurl, for helpers, and the one that talks to `sea-server`: it knows the line, and nothing of objects.
    .target(name: "SeaHTTP", dependencies: ["SeaContainer", "SeaSystem", "CCurl"]),
    // A program of its own: what reaches S3 loads libcurl and TLS, which take longer to start than most commands take.
    .target(name: "SeaS3", dependencies: ["SeaHTTP", "SeaContainer", "SeaCore", "SeaSystem", "CExpat", "COpenSSL"]),
    .executableTarget(
      name: "sea-remote-s3", dependencies: ["SeaS3", "SeaHTTP"],
      swiftSettings: swiftcStatic, linkerSettings: linkerStatic),
    // A program of its own: what reads ZIP and XML of strangers has no database open.
    .target(name: "SeaXLSX", dependencies: ["SeaCore", "SeaSystem", "CArchive", "CExpat"]),
    .executableTarget(
      name: "sea-read-xlsx", dependencies: ["SeaXLSX", "SeaSystem"],
      swiftSettings: swiftcStatic, linkerSettings: linkerStatic),
    // Pages in the browser, as a program outside would write them: on SeaKit alone. HTTP is the business of sea-studio.
    .target(
      name: "SeaStudio", dependencies: ["SeaKit"], path: "Helpers/Sources/SeaStudio",
      resources: [.embedInCode("Resources/studio.css"), .embedInCode("Resources/studio.js")]),
    // On low ground, so that tests are compiled while what stands above is.
    .target(
      name: "SeaTestSupport", dependencies: ["SeaContainer", "SeaCore", "SeaSystem"], path: "Tests/SeaTestSupport"),
    .testTarget(name: "SeaSystemTests", dependencies: ["SeaSystem", "SeaTestSupport"]),
    .testTarget(name: "SeaCoreTests", dependencies: ["SeaCore", "SeaTestSupport"]),
    .testTarget(name: "SeaStoreTests", dependencies: ["SeaStore", "SeaCore", "SeaTestSupport"]),
    .testTarget(name: "SeaContainerTests", dependencies: ["SeaContainer", "SeaTestSupport"]),
    .testTarget(name: "SeaHTTPTests", dependencies: ["SeaHTTP", "SeaTestSupport"]),
    .testTarget(name: "SeaS3Tests", dependencies: ["SeaS3", "SeaHTTP", "SeaTestSupport"]),
    .testTarget(name: "SeaXLSXTests", dependencies: ["SeaXLSX"]),
    .testTarget(name: "SeaEngineTests", dependencies: ["SeaEngine", "SeaTestSupport", "CSQLite"]),
    .testTarget(
      name: "SeaKitTests",
      dependencies: ["SeaKit", "SeaContainerTesting", "SeaEngine", "SeaSystem", "SeaTestSupport"]),
    .testTarget(name: "SeaKitFoundationTests", dependencies: ["SeaKitFoundation", "SeaKit"]),
    .testTarget(name: "SeaStudioTests", dependencies: ["SeaStudio", "SeaKit", "SeaTestSupport"]),
    .testTarget(name: "SeaCommandsTests", dependencies: ["SeaCommands", "SeaTestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

if hasHelpers {
  let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
  package.dependencies += [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: [])
  ]
  package.products += [
    .executable(name: "sea-server", targets: ["sea-server"]), .executable(name: "sea-studio", targets: ["sea-studio"]),
  ]
  package.targets += [
    .systemLibrary(
      name: "CServer", path: "Helpers/Sources/CServer", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .executableTarget(
      name: "sea-server",
      dependencies: ["CServer", hummingbird, .product(name: "HummingbirdTLS", package: "hummingbird")],
      path: "Helpers/Sources/sea-server", swiftSettings: swiftcStatic, linkerSettings: linkerStatic),
    .executableTarget(
      name: "sea-studio", dependencies: ["SeaStudio", "SeaKit", hummingbird], path: "Helpers/Sources/sea-studio",
      swiftSettings: swiftcStatic, linkerSettings: linkerStatic),
  ]
}

let isStrict = Context.environment["SEA_WARNINGS"] == "error"

for target in package.targets where target.type != .system {
  // What a file uses of another target it says: a member reached through a value of a target that is not imported is an
  // error.
  var settings: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]
  // An asynchronous function of the library runs where its caller runs, up to the thread that does its work. Otherwise, each
  // call from the main actor would wake two more threads on its way to that thread and back.
  if target.name == "SeaKit" { settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault")) }
  // .ci/run says so. Elsewhere a compiler that is newer than this may warn of more.
  if isStrict { settings.append(.treatAllWarnings(as: .error)) }
  // What is tested is compiled as it ships; the tests themselves only run once, and compile in half the time like this.
  if target.path?.hasPrefix("Tests/") ?? (target.type == .test) {
    settings.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
  }
  target.swiftSettings = (target.swiftSettings ?? []) + settings
}
