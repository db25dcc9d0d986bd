-- sysbench.rand: the draws are the host's; what is here are their names and types.
local host = ...
local C = ffi.C

local draws = ffi.cast("void *", host.draws)
local between = ffi.cast("double (*)(void *, int32_t, double, double)", host.draw_between)
local fill = ffi.cast("void (*)(void *, const char *, uint64_t, char *)", host.draw_text)
local various = ffi.cast("uint32_t (*)(void *, char *, uint32_t, uint32_t)", host.draw_various)
local unit = ffi.cast("double (*)(void *)", host.draw_unit)
local bits = ffi.cast("uint64_t (*)(void *)", host.draw_bits)
local unique = ffi.cast("double (*)(void *)", host.draw_unique)

local rand = {}

-- The numbers are those of `Shape` on the host's side.
local shapes = { default = 0, uniform = 1, gaussian = 2, pareto = 3 }
if host.compat == 10 then shapes.special = 4 else shapes.zipfian = 5 end
for name, shape in pairs(shapes) do
  -- No tail call: each counts as a turn of a loop where an event is compiled, and those have a limit.
  local function draw(first, last)
    local drawn = between(draws, shape, first, last)
    return drawn
  end
  rand[name] = draw
  rawset(C, "sb_rand_" .. name, draw)
end
for name, shape in pairs({ special = 4, zipfian = 5 }) do
  rawset(C, "sb_rand_" .. name, function(first, last) return between(draws, shape, first, last) end)
end

function rand.unique() return unique(draws) end
function rand.uniform_double() return unit(draws) end
function rand.uniform_uint64() return bits(draws) end

local room, buffer = 256, ffi.new("char[?]", 256)
local function place(length)
  if length > room then room, buffer = length, ffi.new("char[?]", length) end
  return buffer
end
function rand.string(format)
  local into = place(#format)
  fill(draws, format, #format, into)
  return ffi.string(into, #format)
end
host.fill_text = function(format, length, into) fill(draws, format, length, into) end
if host.compat ~= 10 then
  function rand.varstring(shortest, longest)
    assert(shortest <= longest, "assertion failed!")
    assert(longest > 0, "assertion failed!")
    local into = place(longest)
    return ffi.string(into, various(draws, into, shortest, longest))
  end
end

rawset(C, "sb_rand_unique", rand.unique)
rawset(C, "sb_rand_uniform_double", rand.uniform_double)
rawset(C, "sb_rand_uniform_uint64", rand.uniform_uint64)
rawset(C, "sb_rand_str", function(format, into) fill(draws, format, #ffi.string(format), into) end)
rawset(C, "sb_rand_varstr", function(into, shortest, longest) return various(draws, into, shortest, longest) end)

sysbench.rand = rand
