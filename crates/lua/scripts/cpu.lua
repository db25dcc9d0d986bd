-- Events that find primes, as sysbench's test of that name: by trial division, each up to a limit. What the run and the report say of it
-- beside what they say of every script is the host's.

sysbench.cmdline.options = {
   ["cpu-max-prime"] = {"upper limit for primes generator", 10000, sysbench.cmdline.ARG_INT},
}

function event()
   local primes = 0
   for number = 3, sysbench.opt.cpu_max_prime - 1 do
      local divisor, largest = 2, math.sqrt(number)
      while divisor <= largest and number % divisor ~= 0 do
         divisor = divisor + 1
      end
      if divisor > largest then
         primes = primes + 1
      end
   end
end
