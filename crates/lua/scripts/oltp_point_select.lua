-- One row by its id: the cheapest statement there is.

require("oltp_common")

function prepare_statements()
   -- One, whatever the option says: an event is a statement here.
   sysbench.opt.point_selects = 1
   prepare_point_selects()
end

function event()
   execute_point_selects()
   check_reconnect()
end
