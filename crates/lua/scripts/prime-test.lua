-- Events that find primes: work for a processor and for nothing else, told as JSON.

sysbench.cmdline.options = {
   max_prime = {"numbers to look at in an event", 10000},
}

function event()
   for number = 3, sysbench.opt.max_prime do
      local largest, divisor = math.sqrt(number), 2
      while divisor <= largest and number % divisor ~= 0 do
         divisor = divisor + 1
      end
   end
end

sysbench.hooks.report_intermediate = sysbench.report_json
sysbench.hooks.report_cumulative = sysbench.report_json
