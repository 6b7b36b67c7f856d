/* A log in PostgreSQL with synchronous standbys: how a batch is appended, and how a writer learns the fate of a
   batch after its connection failed. Tools/models/check runs this model with spin; README.md explains it.

   A batch is one row. Its primary key is its first sequence, and its foreign key refers to the head that it expects,
   so a node has one chain of rows. PostgreSQL shows a row to other sessions as soon as the wait for a standby ends,
   whether a standby confirmed the row, the wait was cancelled, or the backend was terminated. So a failover can lose
   a row that was visible. A writer that finds its own row runs a barrier before it reports "already".

   Macros remove one rule each, and each must break a property:
     NO_BARRIER         a writer that finds its own row reports "already" without a barrier
     BARRIER_ELSEWHERE  the barrier may run in another session, on another node, than the comparison
     TRUST_CANCELLED    a writer takes the answer of a cancelled wait, INSERT 0 1 with a warning, for "appended"
     NO_COMPARE         after an unknown outcome a writer plans its batch at the present head without a comparison
     ANY_STANDBY        a failover promotes any standby, not the one with the longer log
     ONE_STANDBY        a failover promotes a standby without a second one to compare it with
     NUMBERS_ONLY       a reader resumes from a number instead of a head */

/* Bounds of the search: batches of each of the two writers (at most two), crashes of a primary, returns of an old
   primary, waits that are cancelled or whose backend is terminated, and connections that are cut. With READER a
   reader runs, too: it changes nothing for the writers, but multiplies the states. Tools/models/check raises the
   crashes to two in the search without a reader: an acknowledged row must survive a second failover. */
#ifndef BATCHES
#define BATCHES 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef RETURNS
#define RETURNS 1
#endif
#ifndef CANCELS
#define CANCELS 1
#endif
#ifndef CUTS
#define CUTS 1
#endif

#define WRITERS 2
#define NODES 3
#define NONE 3

/* A log is a number in base 8 with one digit for each row, the first row lowest. A digit is the number of a batch,
   from 1. The chain hash of a row depends on all rows up to it, so the same number is also the head: two logs have
   the same head only if they have the same rows. A log has four rows at most, because no batch is in it twice. */
#define place(log) (log == 0 -> 1 : (log < 8 -> 8 : (log < 64 -> 64 : (log < 512 -> 512 : 4096))))
#define within(head, log) ((log) % place(head) == (head))
#define longer(log, other) (place(log) > place(other))
#define after(head, batch) ((head) + (batch) * place(head))
#define contains(log, batch) \
  ((log) % 8 == batch || (log) / 8 % 8 == batch || (log) / 64 % 8 == batch || (log) / 512 % 8 == batch)

/* `returned` is an old primary that runs again after a failover. It takes connections, but no standby follows it. */
mtype = { primary, standby, returned, down };
mtype = { comparing, waiting, atBarrier, finished };

mtype role[NODES];
short rows[NODES];     /* all rows in the node's WAL */
short visible[NODES];  /* the rows that sessions see: all, or all but the last one while its backend waits */
bool orphan[NODES];    /* the client of the backend that waits is disconnected */
byte leader = 0;       /* the primary, or NONE between a crash and the failover */
byte last = 0;         /* the node that was the primary before the crash */

mtype step[WRITERS] = comparing;
byte session[WRITERS] = NONE;   /* the node on which a writer waits */
byte lateNode[WRITERS] = NONE;  /* the node that runs the statement of a lost connection later */
short late[WRITERS];            /* the head after that statement */

byte crashes = CRASHES, returns = RETURNS, cancels = CANCELS, cuts = CUTS;

/* The properties. `acknowledged` is the longest head that a writer received as appended or already. */
short acknowledged;
bool lostAcknowledgement, batchTwice, forkUnseen;

#define takesConnections(node) (role[node] == primary || role[node] == returned)
#define waits(node) (rows[node] != visible[node])
#define follows(node, head) (role[node] == standby && within(head, rows[node]))
#define confirmed(node, head) (node == leader && (follows(0, head) || follows(1, head) || follows(2, head)))

/* Standbys with the same rows are interchangeable, so only the first of them acts. */
#define isSame(node, other) (other < node && role[other] == standby && rows[other] == rows[node])
#define isFirst(node) (!isSame(node, 0) && !isSame(node, 1))

#define anyNode(can, act) \
  :: atomic { can(0) -> act(0) } \
  :: atomic { can(1) -> act(1) } \
  :: atomic { can(2) -> act(2) }

inline acknowledge(head) {
  lostAcknowledgement = (leader != NONE && !within(head, rows[leader])) ||
    !(within(head, acknowledged) || within(acknowledged, head));
  assert(!lostAcknowledgement);
  acknowledged = (longer(head, acknowledged) -> head : acknowledged)
}

inline insert(node, batch) {
  batchTwice = contains(rows[node], batch);
  assert(!batchTwice);
  rows[node] = after(rows[node], batch)
}

inline endWait(node) {
  visible[node] = rows[node];
  orphan[node] = false
}

inline disconnect(writer) {
  session[writer] = NONE;
  step[writer] = comparing
}

/* The writer's batch is in the log: `head` is the head after it. */
inline accept() {
  head = after(head, batch);
  acknowledge(head);
  session[me] = NONE;
  target = 0;
  if
  :: batch % BATCHES != 0 -> batch++; step[me] = comparing
  :: else -> finish()
  fi
}

inline finish() {
  batch = 0;
  head = 0;
  step[me] = finished
}

/* A writer that compares has no session: it may connect to each node that takes connections, and cannot know that
   one is an old primary. Comparison and statement are one step: if the head moves between them, PostgreSQL inserts
   no row and the writer compares again. A statement at the same head as a backend that waits, waits for it. */
#define compares(node) (step[me] == comparing && takesConnections(node))
#define canInsert(node) (compares(node) && visible[node] == head && !waits(node))
#define canCut(node) (compares(node) && visible[node] == head && cuts > 0 && lateNode[me] == NONE)
#define isLost(node) (compares(node) && !within(head, visible[node]))
#define isMoved(node) (compares(node) && visible[node] != head && within(head, visible[node]) && !isOwn(node))
#ifdef NO_COMPARE
#define isOwn(node) false
#else
#define isOwn(node) (compares(node) && within(after(head, batch), visible[node]))
#endif

inline append(node) {
  printf("writer %d: batch %d is inserted on node %d\n", me, batch, node);
  insert(node, batch);
  session[me] = node;
  step[me] = waiting
}

inline cut(node) {
  printf("writer %d: the connection to node %d is cut before batch %d is inserted\n", me, node, batch);
  cuts--;
  lateNode[me] = node;
  late[me] = after(head, batch)
}

/* The user may also start the writer again with the same head, which is to do nothing here. */
inline stop(node) {
  printf("writer %d: lost events on node %d\n", me, node);
  finish()
}

inline move(node) {
  printf("writer %d: head moved on node %d, batch %d is planned again\n", me, node, batch);
  head = visible[node]
}

/* The barrier commits a record of WAL after all rows of its node. Here it waits for the writer's own row, which is
   less than PostgreSQL waits for. */
inline find(node) {
#ifdef NO_BARRIER
  printf("writer %d: batch %d already on node %d, without a barrier\n", me, batch, node);
  accept()
#else
  printf("writer %d: batch %d is found on node %d\n", me, batch, node);
  target = after(head, batch);
  session[me] = node;
  step[me] = atBarrier
#endif
}

#define isElsewhere(node) (isOwn(node) && leader != NONE && leader != node)
inline findElsewhere(node) {
  printf("writer %d: batch %d is found on node %d, the barrier runs on node %d\n", me, batch, node, leader);
  target = rows[leader];
  session[me] = leader;
  step[me] = atBarrier
}

/* `head` is the last head that this writer accepted; `batch` is planned at it. */
proctype Writer(byte me) {
  byte batch = 1 + me * BATCHES;
  short head, target;

  do
  anyNode(canInsert, append)
  anyNode(canCut, cut)
  anyNode(isLost, stop)
  anyNode(isMoved, move)
#ifndef NO_COMPARE
  anyNode(isOwn, find)
#endif
#ifdef BARRIER_ELSEWHERE
  anyNode(isElsewhere, findElsewhere)
#endif

  :: atomic { step[me] == waiting && confirmed(session[me], rows[session[me]]) ->
    printf("writer %d: batch %d appended\n", me, batch);
    endWait(session[me]);
    accept() }
  :: atomic { step[me] == waiting && cancels > 0 ->
    printf("writer %d: the wait of batch %d is cancelled\n", me, batch);
    cancels--;
    endWait(session[me]);
#ifdef TRUST_CANCELLED
    accept()
#else
    disconnect(me)
#endif
    }
  :: atomic { step[me] == waiting && cuts > 0 ->
    printf("writer %d: the connection is cut while batch %d waits\n", me, batch);
    cuts--;
    orphan[session[me]] = true;
    disconnect(me) }

#ifndef NO_BARRIER
#ifndef NO_COMPARE
  :: atomic { step[me] == atBarrier && confirmed(session[me], target) ->
    printf("writer %d: batch %d already, after a barrier\n", me, batch);
    accept() }
  :: atomic { step[me] == atBarrier && cancels > 0 ->
    printf("writer %d: the barrier of batch %d is cancelled\n", me, batch);
    cancels--;
    target = 0;
    disconnect(me) }
  :: atomic { step[me] == atBarrier && cuts > 0 ->
    printf("writer %d: the connection is cut while the barrier of batch %d waits\n", me, batch);
    cuts--;
    target = 0;
    disconnect(me) }
#endif
#endif

  :: step[me] == finished -> break
  od
}

#ifdef READER
/* A reader that misses its checkpoint stops. If the user starts it again, it reads again with this checkpoint. */
#define hasMore(node) (role[node] != down && longer(visible[node], head))
#ifdef NUMBERS_ONLY
#define canRead(node) hasMore(node)
#else
#define canRead(node) (hasMore(node) && within(head, visible[node]))
#endif
inline read(node) {
  printf("reader: reads node %d\n", node);
  forkUnseen = !within(head, visible[node]);
  assert(!forkUnseen);
  head = visible[node]
}

/* `head` is the checkpoint: the reader has accepted the rows up to it. */
proctype Reader() {
  short head;
end:
  do
  anyNode(canRead, read)
  od
}
#endif

/* A standby has a beginning of the primary's rows, and receives the next one. */
#define canReceive(node) (role[node] == standby && leader != NONE && rows[node] != rows[leader] && isFirst(node))
inline receive(node) {
  rows[node] = rows[leader] % (8 * place(rows[node]));
  visible[node] = rows[node]
}

/* All backends of a node end. Recovery makes a row visible whose backend waited. */
inline closeSessions(node) {
  if :: session[0] == node -> disconnect(0) :: else fi;
  if :: session[1] == node -> disconnect(1) :: else fi;
  if :: lateNode[0] == node -> lateNode[0] = NONE; late[0] = 0 :: else fi;
  if :: lateNode[1] == node -> lateNode[1] = NONE; late[1] = 0 :: else fi;
  endWait(node)
}

inline crash(node) {
  printf("cluster: node %d crashes\n", node);
  crashes--;
  role[node] = down;
  closeSessions(node);
  leader = NONE
}
#define canCrash(node) (leader == node && crashes > 0)

inline lead(node) {
  role[node] = primary;
  leader = node;
  last = node;
  lostAcknowledgement = !within(acknowledged, rows[node]);
  assert(!lostAcknowledgement)
}

#define canRestart(node) (leader == NONE && last == node)
inline restart(node) {
  printf("cluster: node %d starts again as the primary\n", node);
  lead(node)
}

/* An acknowledged row is on the primary and on at least one standby. If the primary is lost, one of the two others
   has the row; so a failover compares two standbys and promotes the one with the longer log. */
#define isCandidate(node) (leader == NONE && role[node] == standby && isFirst(node))
#define isOther(node, other) (other != node && role[other] == standby)
#define isShorter(node, other) (isOther(node, other) && longer(rows[other], rows[node]))
#ifdef ANY_STANDBY
#define isLongest(node) true
#else
#define isLongest(node) (!isShorter(node, 0) && !isShorter(node, 1) && !isShorter(node, 2))
#endif
#ifdef ONE_STANDBY
#define isCompared(node) true
#else
#define isCompared(node) (isOther(node, 0) || isOther(node, 1) || isOther(node, 2))
#endif
#define canPromote(node) (isCandidate(node) && isLongest(node) && isCompared(node))
inline promote(node) {
  printf("cluster: node %d is promoted\n", node);
  lead(node)
}

/* An old primary starts as a primary of its own: it has no news of the failover. */
#define isOld(node) (role[node] == down && leader != NONE)
#define canReturn(node) (isOld(node) && returns > 0)
inline comeBack(node) {
  printf("cluster: node %d runs again as an old primary\n", node);
  returns--;
  role[node] = returned
}

#define isReturned(node) (role[node] == returned)
inline fence(node) {
  printf("cluster: node %d is fenced\n", node);
  role[node] = down;
  closeSessions(node)
}

inline rewind(node) {
  printf("cluster: node %d is rewound\n", node);
  role[node] = standby;
  rows[node] = rows[leader];
  visible[node] = rows[node]
}

#define canConfirm(node) (orphan[node] && confirmed(node, rows[node]))
#define canCancel(node) (orphan[node] && cancels > 0)
inline cancel(node) {
  printf("cluster: a wait on node %d is cancelled\n", node);
  cancels--;
  endWait(node)
}

/* The statement of a lost connection inserts only at the head that it expects. */
#define canExecute(writer) (lateNode[writer] != NONE && !waits(lateNode[writer]))
inline execute(writer) {
  batch = late[writer] / (place(late[writer]) / 8);
  if
  :: late[writer] == after(visible[lateNode[writer]], batch) ->
    printf("cluster: batch %d of a lost connection is inserted on node %d\n", batch, lateNode[writer]);
    insert(lateNode[writer], batch);
    orphan[lateNode[writer]] = true
  :: else
  fi;
  batch = 0;
  lateNode[writer] = NONE;
  late[writer] = 0
}

proctype Cluster() {
  byte batch;
end:
  do
  anyNode(canReceive, receive)
  anyNode(canConfirm, endWait)
  anyNode(canCancel, cancel)
  :: atomic { canExecute(0) -> execute(0) }
  :: atomic { canExecute(1) -> execute(1) }
  anyNode(canCrash, crash)
  anyNode(canRestart, restart)
  anyNode(canPromote, promote)
  anyNode(canReturn, comeBack)
  anyNode(isReturned, fence)
  anyNode(isOld, rewind)
  od
}

init {
  atomic {
    role[0] = primary;
    role[1] = standby;
    role[2] = standby;
    run Cluster();
#ifdef READER
    run Reader();
#endif
    run Writer(0);
    run Writer(1)
  }
}
