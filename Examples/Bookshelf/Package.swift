// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "bookshelf",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "catalog-engine", path: "../..")],
  targets: [
    .target(
      name: "Bookshelf",
      dependencies: [.product(name: "CatalogEngine", package: "catalog-engine")]),
    .executableTarget(
      name: "shelfctl",
      dependencies: [
        "Bookshelf", .product(name: "EngineCommands", package: "catalog-engine"),
        .product(name: "CatalogPages", package: "catalog-engine"),
      ]),
    .testTarget(
      name: "BookshelfTests",
      dependencies: [
        "Bookshelf", "shelfctl",
        .product(name: "KindConformance", package: "catalog-engine"),
      ]),
  ])
