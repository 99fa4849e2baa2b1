#!/usr/bin/env python3
"""Writes *.tfevents: event files as TensorBoard's own record writer, messages and HParams plugin make them.

Times are 0 and the writer is called orrery, as in Orrery's files; everything else is TensorBoard's. The
settings and numbers stand in the test that reads the files. Run it with tensorboard installed; the tests
do not need it.
"""
import pathlib

from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2
from tensorboard.summary.writer.record_writer import RecordWriter

HERE = pathlib.Path(__file__).parent


def of_plugin(tag, **data):
    """A value of HParams, its map in the order of keys: SerializeToString leaves the order open."""
    content = metadata.create_summary_metadata(plugin_data_pb2.HParamsPluginData(**data))
    ordered = plugin_data_pb2.HParamsPluginData.FromString(content.plugin_data.content)
    content.plugin_data.content = ordered.SerializeToString(deterministic=True)
    return summary_pb2.Summary.Value(tag=tag, metadata=content, tensor=metadata.NULL_TENSOR)


def start_of(group, hparams):
    start = plugin_data_pb2.SessionStartInfo(group_name=group, start_time_secs=0)
    for key, value in hparams.items():
        kind = {bool: "bool_value", str: "string_value"}.get(type(value), "number_value")
        setattr(start.hparams[key], kind, value)
    return start


def write(name, group, hparams, scalars):
    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS, end_time_secs=0)
    values = [of_plugin(metadata.SESSION_START_INFO_TAG, session_start_info=start_of(group, hparams)),
              *(summary_pb2.Summary.Value(tag=tag, simple_value=number) for tag, number in scalars),
              of_plugin(metadata.SESSION_END_INFO_TAG, session_end_info=end)]
    with (HERE / f"{name}.tfevents").open("wb") as file:
        writer = RecordWriter(file)
        for event in (
            event_pb2.Event(file_version="brain.Event:2",
                            source_metadata=event_pb2.SourceMetadata(writer="orrery")),
            event_pb2.Event(summary=summary_pb2.Summary(value=values)),
        ):
            writer.write(event.SerializeToString(deterministic=True))


write("several_encodings", "dim=64 base=0.1 causal=true",
      {"dim": 64, "base": 0.1, "causal": True, "encoding": "rope+alibi", "name": "ü"},
      [("rope/change", 0.1), ("alibi/change", -1e-30), ("tokens", 9.0), ("undefined", float("nan"))])
write("one_encoding", "", {"dim": 8, "encoding": "rope"}, [("change", float("inf"))])
write("no_settings", "repeats", {}, [(f"measure_{i}", i / 3) for i in range(40)])
