function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT CAST('none' AS SIGNED)") end
