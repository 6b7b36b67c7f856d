import EventLog
import LibC
import Support

/// PostgreSQL's client library, loaded when the first address of a server is met: linked, it and the TLS and Kerberos
/// libraries that it needs would be loaded by each start of a program that seldom asks a server.
///
/// The functions are those of libpq's documented interface, which has been the same since version 8; no header is needed.
struct LibPQ: Sendable {
  typealias Text = UnsafePointer<CChar>

  let connect: @convention(c) (UnsafePointer<Text?>, UnsafePointer<Text?>, CInt) -> OpaquePointer?
  /// Whether a server answers at an address, whatever user, password and database that names.
  let ping: @convention(c) (UnsafePointer<Text?>, UnsafePointer<Text?>, CInt) -> CInt
  let finish: @convention(c) (OpaquePointer?) -> Void
  let status: @convention(c) (OpaquePointer?) -> CInt
  let errorMessage: @convention(c) (OpaquePointer?) -> Text?
  let socket: @convention(c) (OpaquePointer?) -> CInt
  let serverVersion: @convention(c) (OpaquePointer?) -> CInt
  let send:
    @convention(c) (
      OpaquePointer?, Text, CInt, UnsafePointer<UInt32>?, UnsafePointer<Text?>?,
      UnsafePointer<CInt>?, UnsafePointer<CInt>?, CInt
    ) -> CInt
  let setSingleRowMode: @convention(c) (OpaquePointer?) -> CInt
  let flush: @convention(c) (OpaquePointer?) -> CInt
  let consumeInput: @convention(c) (OpaquePointer?) -> CInt
  let isBusy: @convention(c) (OpaquePointer?) -> CInt
  let getResult: @convention(c) (OpaquePointer?) -> OpaquePointer?
  let resultStatus: @convention(c) (OpaquePointer?) -> CInt
  let errorField: @convention(c) (OpaquePointer?, CInt) -> Text?
  let rowCount: @convention(c) (OpaquePointer?) -> CInt
  let columnCount: @convention(c) (OpaquePointer?) -> CInt
  let value: @convention(c) (OpaquePointer?, CInt, CInt) -> UnsafeMutablePointer<CChar>?
  let length: @convention(c) (OpaquePointer?, CInt, CInt) -> CInt
  let isNull: @convention(c) (OpaquePointer?, CInt, CInt) -> CInt
  let affectedRows: @convention(c) (OpaquePointer?) -> Text?
  let clear: @convention(c) (OpaquePointer?) -> Void
  let getCancel: @convention(c) (OpaquePointer?) -> OpaquePointer?
  let cancel: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>, CInt) -> CInt
  let freeCancel: @convention(c) (OpaquePointer?) -> Void
  let setNoticeReceiver:
    @convention(c) (
      OpaquePointer?, (@convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void)?,
      UnsafeMutableRawPointer?
    ) -> UnsafeRawPointer?
  /// Rows of a COPY; the bytes are freed by `freeMemory`.
  let getCopyData:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, CInt) ->
      CInt
  let freeMemory: @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// Names of the library on Debian and other systems, and on macOS.
  private static let names = ["libpq.so.5", "libpq.5.dylib"]

  private static let library = Result { try LibPQ() }

  /// - Throws: `EventLogError` with `unavailable` if the library is not installed.
  static func loaded() throws -> LibPQ { try library.get() }

  private init() throws {
    guard let handle = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first
    else {
      throw EventLogError(
        .unavailable,
        "a log in PostgreSQL needs libpq, which is not installed; on Debian and Ubuntu: apt-get install libpq5"
      )
    }
    func function<Function>(_ name: String) throws -> Function {
      guard let symbol = dlsym(handle, name) else {
        throw EventLogError(
          .unavailable,
          "the libpq that is installed has no \(name); install version 14 or newer: apt-get install libpq5"
        )
      }
      return unsafeBitCast(symbol, to: Function.self)
    }
    connect = try function("PQconnectdbParams")
    ping = try function("PQpingParams")
    finish = try function("PQfinish")
    status = try function("PQstatus")
    errorMessage = try function("PQerrorMessage")
    socket = try function("PQsocket")
    serverVersion = try function("PQserverVersion")
    send = try function("PQsendQueryParams")
    setSingleRowMode = try function("PQsetSingleRowMode")
    flush = try function("PQflush")
    consumeInput = try function("PQconsumeInput")
    isBusy = try function("PQisBusy")
    getResult = try function("PQgetResult")
    resultStatus = try function("PQresultStatus")
    errorField = try function("PQresultErrorField")
    rowCount = try function("PQntuples")
    columnCount = try function("PQnfields")
    value = try function("PQgetvalue")
    length = try function("PQgetlength")
    isNull = try function("PQgetisnull")
    affectedRows = try function("PQcmdTuples")
    clear = try function("PQclear")
    getCancel = try function("PQgetCancel")
    cancel = try function("PQcancel")
    freeCancel = try function("PQfreeCancel")
    setNoticeReceiver = try function("PQsetNoticeReceiver")
    getCopyData = try function("PQgetCopyData")
    freeMemory = try function("PQfreemem")
  }
}
