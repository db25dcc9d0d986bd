-- Rows added in the order of their ids, each user to a table of its own, in statements as long as the buffer. An event is a
-- row: almost all are free, and one in tens of thousands is the statement.

local function table_name(user)
   return "sbtest" .. (user + 1)
end

local function each_table(sql)
   local connection = sysbench.sql.driver():connect()
   for user = 0, sysbench.opt.threads - 1 do
      sql(connection, table_name(user))
   end
end

function prepare()
   each_table(function(connection, name)
      print("Creating table '" .. name .. "'...")
      connection:query("CREATE TABLE IF NOT EXISTS " .. name ..
         " ( id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (id))")
   end)
end

function cleanup()
   each_table(function(connection, name)
      print("Dropping table '" .. name .. "'...")
      connection:query("DROP TABLE IF EXISTS " .. name)
   end)
end

local row = 0

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   con:bulk_insert_init("INSERT INTO " .. table_name(sysbench.tid) .. " VALUES")
end

function event()
   row = row + 1
   con:bulk_insert_next(string.format("(%d,%d)", row, row))
end

function thread_done()
   con:bulk_insert_done()
   con:disconnect()
end
