-- Rows by many values of the indexed column at once. Each user draws from its own part of the values.

require("oltp_common")

sysbench.cmdline.options.random_points = {"values in the list of a statement", 10}

local values

function prepare_statements()
   assert(sysbench.opt.tables == 1, "this script reads one table: --tables=1")
   local points = sysbench.opt.random_points
   local marks = string.rep("?, ", points - 1) .. "?"
   stmt.points = con:prepare("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" .. marks .. ")")
   values = {}
   for at = 1, points do
      values[at] = stmt.points:bind_create(sysbench.sql.type.INT)
   end
   stmt.points:bind_param(unpack(values, 1, points))
end

function event()
   local width = sysbench.opt.table_size / sysbench.opt.threads
   local first = width * sysbench.tid
   for _, value in ipairs(values) do
      value:set(sysbench.rand.default(first, first + width))
   end
   stmt.points:execute()
   check_reconnect()
end
