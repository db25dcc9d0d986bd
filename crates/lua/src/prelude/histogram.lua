-- sysbench.histogram: buckets of equal ratio between two values, and a drawing of them.
local host = ...

local histogram = {}
histogram.__index = histogram

function histogram.new(size, range_min, range_max)
  return setmetatable({ size = size, low = math.log(range_min), step = (size - 1) / (math.log(range_max) - math.log(range_min)),
    counts = {} }, histogram)
end

function histogram:update(value)
  local bucket = math.floor((math.log(value) - self.low) * self.step + 0.5)
  if not (bucket > 0) then bucket = 0 elseif bucket >= self.size then bucket = self.size - 1 end
  self.counts[bucket] = (self.counts[bucket] or 0) + 1
end

local WIDEST = 40
function histogram:print()
  local most = 0
  for _, count in pairs(self.counts) do most = math.max(most, count) end
  if most == 0 then return end
  print("       value  ------------- distribution ------------- count")
  for bucket = 0, self.size - 1 do
    local count = self.counts[bucket]
    if count then
      local stars = string.rep("*", math.floor(count * WIDEST / most + 0.5))
      print(string.format("%12.3f |%-40s %d", math.exp(bucket / self.step + self.low), stars, count))
    end
  end
end

histogram.__tostring = function() return "<sb_histogram>" end
sysbench.histogram = { new = histogram.new }
