// swift-tools-version: 6.2
import PackageDescription

// Programs that need an event loop or TLS of their own: a package beside `sea`, so that building `sea` waits for none of it.
let isStrict = Context.environment["SEA_WARNINGS"] == "error"

let package = Package(
  name: "sea-helpers",
  platforms: [.macOS(.v14)],
  products: [.executable(name: "sea-server", targets: ["sea-server"])],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: [])
  ],
  targets: [
    .systemLibrary(name: "CServer", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .executableTarget(
      name: "sea-server",
      dependencies: [
        "CServer", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
      ],
      swiftSettings: isStrict ? [.treatAllWarnings(as: .error)] : []),
  ],
  swiftLanguageModes: [.v6]
)
