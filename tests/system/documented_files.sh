# shellcheck shell=bash
# Files that documented commands read, made by the shell and awk alone: files_of_* fill the current folder.
# The caller says which program `orrery` is, as some files are its own output, and where the tree is.

# little_endian BYTES NUMBER
little_endian() {
  local i number=$2
  for ((i = 0; i < $1; i++)); do
    # shellcheck disable=SC2059  # the format is the byte
    printf "\\x$(printf %02x $((number & 255)))"
    number=$((number >> 8))
  done
}

# floats COUNT SEED: ±1 to 2, as little-endian floats.
floats() {
  printf '%b' "$(awk -v count="$1" -v seed="$2" 'BEGIN {
    srand(seed)
    for (i = 0; i < count; i++)
      printf "\\x%02x\\x%02x\\x%02x\\x%02x", 256 * rand(), 256 * rand(), 128 + 128 * rand(), rand() < 0.5 ? 63 : 191
  }')"
}

# npy_header TYPE "SHAPE"
npy_header() {
  local text="{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$text"
}

# npy FILE "SHAPE" SEED: floats of that shape, "5, 8".
npy() {
  local count=1 size
  for size in ${2//,/ }; do count=$((count * size)); done
  { npy_header '<f4' "$2" && floats $count "$3"; } >"$1"
}

# mask FILE "SHAPE" BYTES: 0 and 1 as they are given, \x01\x01….
mask() { { npy_header '|b1' "$2" && printf '%b' "$3"; } >"$1"; }

# safetensors FILE NAME ROWS COLUMNS SEED: one matrix.
safetensors() {
  local count=$(($3 * $4)) header
  header="{\"$2\":{\"dtype\":\"F32\",\"shape\":[$3,$4],\"data_offsets\":[0,$((4 * count))]}}"
  { little_endian 8 ${#header} && printf '%s' "$header" && floats $count "$5"; } >"$1"
}

# llama_config FILE: the rotation of Llama 3.1, in 32 layers of two heads.
llama_config() {
  cat >"$1" <<'CONFIG'
{"model_type": "llama", "hidden_size": 256, "num_attention_heads": 2, "num_hidden_layers": 32,
 "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
 "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}}
CONFIG
}

# llama_gguf FILE: the same as GGUF, from the golden file, which has 2 layers.
llama_gguf() {
  # shellcheck disable=SC2154  # the caller's
  LC_ALL=C sed 's/\(llama\.block_count\x04\x00\x00\x00\)\x02/\1\x20/' "$tree/tests/golden/gguf/llama31.gguf" >"$1"
}
