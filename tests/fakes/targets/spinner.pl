# A bot that is no Python: FOLDER NAME PORT. It answers, and spins for ever once moods/NAME is there; a start cures.
use strict;
use warnings;
use IO::Socket::INET;
use Time::HiRes qw(time);

my ($folder, $name, $port) = @ARGV;
mkdir "$folder/starts";
open(my $starts, '>>', "$folder/starts/$name.starts") or die $!;
printf $starts "%d %.6f\n", $$, time;
close $starts;
unlink "$folder/moods/$name";
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 64, ReuseAddr => 1) or die $!;
while (my $asker = $server->accept) {
    1 while -e "$folder/moods/$name";
    my $line = <$asker>;
    print $asker "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\nConnection: close\r\n\r\n{\"status\":\"ok\"}";
    close $asker;
}
