// swift-tools-version: 6.0
import PackageDescription

// A package of its own: nothing that ships needs GRDB. Benchmarks/kit.sh builds it where it can be had.

let package = Package(
  name: "bench-kit-grdb",
  dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")],
  targets: [
    .executableTarget(
      name: "bench-kit-grdb", dependencies: [.product(name: "GRDB", package: "GRDB.swift")], path: "Sources")
  ]
)
