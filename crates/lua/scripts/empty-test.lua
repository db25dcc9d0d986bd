-- Events that do nothing: what this program itself can give, told as JSON.

function event()
end

sysbench.hooks.report_intermediate = sysbench.report_json
sysbench.hooks.report_cumulative = sysbench.report_json
