// swift-tools-version: 6.2

import PackageDescription

// A package of its own: an app that embeds the engine does not build a server.
let package = Package(
  name: "catalog-inspector",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "CatalogServer", targets: ["CatalogServer"]),
    .executable(name: "catalogctl-serve", targets: ["catalogctl-serve"]),
  ],
  dependencies: [
    .package(name: "catalog-engine", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(
      name: "CatalogServer",
      dependencies: [
        .product(name: "CatalogPages", package: "catalog-engine"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "catalogctl-serve",
      dependencies: [
        "CatalogServer",
        .product(name: "CatalogControl", package: "catalog-engine"),
        .product(name: "CatalogEngine", package: "catalog-engine"),
        .product(name: "CatalogPages", package: "catalog-engine"),
        .product(name: "EngineCommands", package: "catalog-engine"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6])
