# The demo in a container: built by the steps of `make demo`, carried out by a user without rights.
#   docker build -t assay .
#   docker run --rm --init -v assay-records:/records assay              the demo: its report lies in /records/demo
#   docker run --rm --init -v assay-records:/records assay bench oltp.point_selects --users 1,4 --out points
# A record that is named lies in the volume, any other ends with the container. It ends with the status of assay: 1
# when all is measured and a check failed. Where io_uring is refused, as by the rules of most containers, the load takes
# epoll, and says so.

FROM debian:bookworm-slim AS build
# Debian 12's own rustc is too old; the one that its browsers are built with is renewed with its security updates.
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
       ca-certificates cargo-web gcc git libc6-dev make rustc-web
WORKDIR /assay
# The packages first: they change less often than the sources.
COPY scripts/install scripts/install
RUN scripts/install demo
COPY . .
RUN make build
RUN make install DESTDIR=/image PREFIX=/usr

FROM debian:bookworm-slim
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mariadb-server-core \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home assay \
    && install -d -o assay -g assay /records
COPY --from=build /image/usr /usr
USER assay
WORKDIR /records
VOLUME /records
ENTRYPOINT ["assay"]
CMD ["run", "/usr/share/assay/experiments/read-only-charsets.toml", "--scale", "smoke", "--out", "/records/demo"]
