-- Reads and writes in one transaction: the mix that most people mean by OLTP.

require("oltp_common")

local RANGES = {"simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"}

function prepare_statements()
   if not sysbench.opt.skip_trx then
      prepare_begin()
      prepare_commit()
   end
   prepare_point_selects()
   if sysbench.opt.range_selects then
      for _, kind in ipairs(RANGES) do
         _G["prepare_" .. kind]()
      end
   end
   prepare_index_updates()
   prepare_non_index_updates()
   prepare_delete_inserts()
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
   execute_index_updates()
   execute_non_index_updates()
   execute_delete_inserts()
   if not sysbench.opt.skip_trx then
      commit()
   end
   check_reconnect()
end
