// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "bookshelf",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "sound-catalog", path: "../..")],
  targets: [
    .target(
      name: "Bookshelf",
      dependencies: [.product(name: "CatalogEngine", package: "sound-catalog")]),
    .executableTarget(
      name: "shelfctl",
      dependencies: [
        "Bookshelf", .product(name: "EngineCommands", package: "sound-catalog"),
      ]),
    .testTarget(
      name: "BookshelfTests",
      dependencies: [
        "Bookshelf", "shelfctl",
        .product(name: "KindConformance", package: "sound-catalog"),
      ]),
  ])
