// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events.

#include "Driver.h"

using namespace gpu_in_software;
using namespace gpu_in_software::api;

ag_cu_result cuStreamCreate(ag_cu_stream *Out, unsigned Flags) {
  Call C(__func__, Needs::Context);
  if (C.failed() || !C.stores(Out))
    return C.Result;
  if (Flags & ~unsigned(AG_CU_STREAM_NON_BLOCKING))
    return C.misuse(AG_CU_INVALID_VALUE, "an unknown flag");
  auto S = std::make_shared<Stream>(Stream{C.Here, !Flags, false, {}});
  C.Here->Streams.push_back(S);
  *Out = reinterpret_cast<ag_cu_stream>(driver().Streams.add(S));
  return C.Result;
}

/// What is in the stream is done nevertheless.
ag_cu_result cuStreamDestroy_v2(ag_cu_stream Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Stream> S;
  if (C.failed() || !C.find(driver().Streams, Handle, S))
    return C.Result;
  driver().Streams.Live.erase(reinterpret_cast<uintptr_t>(Handle));
  S->Destroyed = true;
  if (S->Queue.empty())
    S->Of->Streams.remove(S);
  return C.Result;
}

ag_cu_result cuStreamQuery(ag_cu_stream Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Stream> S;
  if (C.failed() || !C.find(Handle, S))
    return C.Result;
  bool Ready = S->Queue.empty() && !driver().Hang;
  return C.Result = Ready ? AG_CU_SUCCESS : AG_CU_NOT_READY;
}

ag_cu_result cuStreamSynchronize(ag_cu_stream Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Stream> S;
  if (C.failed() || !C.find(Handle, S))
    return C.Result;
  if (!S->Queue.empty())
    C.await(*S->Of, S->Queue.back());
  S->Of->flush();
  return C.Result;
}

ag_cu_result cuStreamWaitEvent(ag_cu_stream Handle, ag_cu_event What,
                               unsigned Flags) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Stream> S;
  std::shared_ptr<Event> E;
  if (C.failed() || !C.find(Handle, S) || !C.find(driver().Events, What, E))
    return C.Result;
  if (Flags > 1)
    return C.misuse(AG_CU_INVALID_VALUE, "an unknown flag");
  // The latest record now: later ones do not matter.
  if (E->Last && !E->Last->Done) {
    auto O = std::make_unique<Operation>();
    O->After.push_back(E->Last);
    S->Of->enqueue(*S, std::move(O))->Late = 0;
  }
  return C.Result;
}

ag_cu_result cuEventCreate(ag_cu_event *Out, unsigned Flags) {
  Call C(__func__, Needs::Context);
  if (C.failed() || !C.stores(Out))
    return C.Result;
  if (Flags > 3)
    return C.misuse(AG_CU_INVALID_VALUE, "an unknown flag");
  auto E = std::make_shared<Event>(
      Event{C.Here, !(Flags & AG_CU_EVENT_DISABLE_TIMING), nullptr});
  *Out = reinterpret_cast<ag_cu_event>(driver().Events.add(E));
  return C.Result;
}

ag_cu_result cuEventDestroy_v2(ag_cu_event Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Event> E;
  if (!C.failed() && C.find(driver().Events, Handle, E))
    driver().Events.Live.erase(reinterpret_cast<uintptr_t>(Handle));
  return C.Result;
}

ag_cu_result cuEventRecord(ag_cu_event Handle, ag_cu_stream Where) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Stream> S;
  std::shared_ptr<Event> E;
  if (C.failed() || !C.find(Where, S) || !C.find(driver().Events, Handle, E))
    return C.Result;
  if (S->Of != E->Of)
    return C.misuse(InvalidHandle, "event and stream are of two contexts");
  E->Last = S->Of->enqueue(*S, std::make_unique<Operation>());
  return C.Result;
}

/// One that was never recorded is complete.
ag_cu_result cuEventQuery(ag_cu_event Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Event> E;
  if (C.failed() || !C.find(driver().Events, Handle, E))
    return C.Result;
  bool Ready = (!E->Last || E->Last->Done) && !driver().Hang;
  return C.Result = Ready ? AG_CU_SUCCESS : AG_CU_NOT_READY;
}

ag_cu_result cuEventSynchronize(ag_cu_event Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Event> E;
  if (C.failed() || !C.find(driver().Events, Handle, E))
    return C.Result;
  if (E->Last)
    C.await(*E->Of, E->Last);
  E->Of->flush();
  return C.Result;
}

ag_cu_result cuEventElapsedTime(float *Milliseconds, ag_cu_event From,
                                ag_cu_event To) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Event> Begin, End;
  if (C.failed() || !C.stores(Milliseconds) ||
      !C.find(driver().Events, From, Begin) ||
      !C.find(driver().Events, To, End))
    return C.Result;
  if (!Begin->Timing || !End->Timing || !Begin->Last || !End->Last ||
      Begin->Of != End->Of)
    return C.misuse(InvalidHandle, "events without a time, of two contexts, or "
                                   "not recorded");
  if (!Begin->Last->Done || !End->Last->Done)
    return C.Result = AG_CU_NOT_READY;
  auto Ns = static_cast<int64_t>(End->Last->Ns - Begin->Last->Ns);
  *Milliseconds = static_cast<float>(static_cast<double>(Ns) / 1e6);
  return C.Result;
}
