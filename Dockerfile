# The server with its private Postgres. The data must outlive the container:
#
#   docker build -t sendonce .
#   docker run -v sendonce-data:/data -p 127.0.0.1:8080:8080 sendonce

FROM golang:1.26-bookworm AS build
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /sendonce ./server

FROM debian:bookworm-slim
# Debian would make and start a cluster of its own on installation; Sendonce makes its own below /data.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates postgresql-common tzdata \
 && sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
 && apt-get install -y --no-install-recommends postgresql-15 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin sendonce \
 && install -d -o sendonce -g sendonce -m 0700 /data
COPY --from=build /sendonce /usr/local/bin/sendonce

USER sendonce
# Published to the machine's own loopback as above; behind a proxy with TLS, set its https address instead.
ENV SENDONCE_DATA=/data SENDONCE_ADDR=0.0.0.0:8080 SENDONCE_PUBLIC_URL=http://127.0.0.1:8080
VOLUME /data
EXPOSE 8080
# A clean shutdown closes the sockets, then Postgres; give it time: docker stop -t 60.
ENTRYPOINT ["sendonce"]
CMD ["serve"]
