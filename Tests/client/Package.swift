// swift-tools-version: 6.2
import PackageDescription

// A program of somebody else's: a package of its own that depends on this one. Tests/scripts/t6410-client.sh builds it.

let package = Package(
  name: "client",
  dependencies: [.package(name: "sea", path: "../..")],
  targets: [
    .executableTarget(
      name: "client", dependencies: [.product(name: "SeaKit", package: "sea")],
      swiftSettings: [.treatAllWarnings(as: .error)],
      linkerSettings: [.unsafeFlags(["-static-stdlib"])])
  ],
  swiftLanguageModes: [.v6]
)
