import Foundation
import GRDB
import Promises
import Testing

@testable import CatalogStore

/// What is said of a volume without room: plain words, and no advice that needs more room.
@Suite(
  .promise(
    "A catalog on a full volume is read, and the error of a change says plainly that there "
      + "is no room"))
struct StoreErrorTests {
  @Test(arguments: [ResultCode.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_IOERR_WRITE])
  func noRoomIsSaidPlainly(code: ResultCode) throws {
    let error = DatabaseError(
      resultCode: code, message: "no room", sql: "INSERT INTO pack VALUES (?)", arguments: [1])
    let errors = [
      StoreError(using: error), StoreError(opening: "/a", error), StoreError(making: "/a", error),
      try #require(StoreError(ofSQLite: error)),
    ]
    for error in errors {
      #expect(error.code == .volume)
      #expect(error.message.contains("no room"))
      #expect(error.message.contains("volume"))
      #expect(!error.message.contains("INSERT"))
      #expect(!error.message.contains("rebuild"), "\(error)")
    }
  }

  /// SQLite has no message any more if another call succeeded meanwhile.
  @Test func aCodeWithoutAMessageIsNamed() {
    let error = DatabaseError(resultCode: .SQLITE_FULL, message: "not an error")
    for found in [StoreError(using: error), StoreError(making: "/a", error)] {
      #expect(found.message.contains("database or disk is full"), "\(found)")
      #expect(!found.message.contains("not an error"), "\(found)")
    }
  }

  @Test func otherErrorsStay() {
    #expect(StoreError(ofSQLite: CancellationError()) == nil)
  }
}
