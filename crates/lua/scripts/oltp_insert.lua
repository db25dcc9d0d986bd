-- Inserts one row, as text. Where ids are not given by the server they are unique draws, and the tables begin empty.

require("oltp_common")

sysbench.cmdline.commands.prepare = {
   function()
      if not sysbench.opt.auto_inc then
         sysbench.opt.table_size = 0
      end
      cmd_prepare()
   end,
   sysbench.cmdline.PARALLEL_COMMAND,
}

function prepare_statements()
   -- Nothing is prepared.
end

-- What a column of 32 bits with a sign begins with.
local LOWEST = -2147483648

function event()
   local table_name = "sbtest" .. sysbench.rand.uniform(1, sysbench.opt.tables)
   local k = sysbench.rand.default(1, sysbench.opt.table_size)
   local c, pad = get_c_value(), get_pad_value()
   if drv:name() == "pgsql" and sysbench.opt.auto_inc then
      con:query(string.format("INSERT INTO %s (k, c, pad) VALUES (%d, '%s', '%s')", table_name, k, c, pad))
   else
      -- MySQL takes a zero for the next id.
      local id = sysbench.opt.auto_inc and 0 or sysbench.rand.unique() + LOWEST
      con:query(string.format("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')", table_name, id, k, c, pad))
   end
   check_reconnect()
end
