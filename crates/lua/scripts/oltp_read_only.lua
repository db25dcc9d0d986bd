-- Reads alone: rows by id, and four kinds of ranges, in one transaction.

require("oltp_common")

local RANGES = {"simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"}

function prepare_statements()
   prepare_point_selects()
   if not sysbench.opt.skip_trx then
      prepare_begin()
      prepare_commit()
   end
   if sysbench.opt.range_selects then
      for _, kind in ipairs(RANGES) do
         _G["prepare_" .. kind]()
      end
   end
end

function event()
   if not sysbench.opt.skip_trx then
      begin()
   end
   execute_point_selects()
   if sysbench.opt.range_selects then
      for _, kind in ipairs(RANGES) do
         _G["execute_" .. kind]()
      end
   end
   if not sysbench.opt.skip_trx then
      commit()
   end
   check_reconnect()
end
